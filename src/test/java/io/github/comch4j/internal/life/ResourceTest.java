package io.github.comch4j.internal.life;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResourceTest {
    private final List<String> closed = new ArrayList<>();

    private final class Thing extends Resource {
        RuntimeException refusal;
        RuntimeException failure;

        Thing(Rank rank, String name, Resource... owners) {
            super(rank, name, owners);
        }

        Thing attached() {
            attach();
            return this;
        }

        @Override
        protected void checkClosable() {
            if (refusal != null) {
                throw refusal;
            }
        }

        @Override
        protected void release(Teardown teardown) {
            if (failure != null) {
                throw failure;
            }
            closed.add(name());
        }
    }

    private Thing thing(Resource.Rank rank, String name, Resource... owners) {
        return new Thing(rank, name, owners).attached();
    }

    @Test
    void closesDependentsByRankAndThenTheNewestFirst() {
        Thing device = thing(Resource.Rank.BASE, "device");
        Thing server = thing(Resource.Rank.CONTROL_PATH, "server", device);
        Thing memory = thing(Resource.Rank.BASE, "memory", device);
        thing(Resource.Rank.BUFFER, "buffer", memory);
        thing(Resource.Rank.FAST_PATH, "consumer 1", server, memory);
        thing(Resource.Rank.FAST_PATH, "consumer 2", server, memory);
        device.close();
        assertThat(closed).containsExactly("consumer 2", "consumer 1", "server", "buffer", "memory", "device");
    }

    @Test
    void closesEachOnceHoweverOften() {
        Thing device = thing(Resource.Rank.BASE, "device");
        Thing memory = thing(Resource.Rank.BASE, "memory", device);
        memory.close();
        memory.close();
        device.close();
        memory.close();
        assertThat(closed).containsExactly("memory", "device");
    }

    @Test
    void nothingHappensWhenOneOfTheTreeMustNotBeClosedNow() {
        Thing device = thing(Resource.Rank.BASE, "device");
        thing(Resource.Rank.BUFFER, "buffer", device);
        Thing foreign = thing(Resource.Rank.FAST_PATH, "foreign", device);
        foreign.refusal = new WrongThreadException("not yours");
        assertThatThrownBy(device::close).isSameAs(foreign.refusal);
        assertThat(closed).isEmpty();
        assertThat(device.isClosed()).isFalse();
        foreign.refusal = null;
        device.close();
        assertThat(closed).containsExactly("foreign", "buffer", "device");
    }

    @Test
    void whatCouldNotBeReleasedStaysOpenWithAllItDependsOn() {
        Thing device = thing(Resource.Rank.BASE, "device");
        Thing stuck = thing(Resource.Rank.BUFFER, "stuck", device);
        Thing stuckToo = thing(Resource.Rank.BUFFER, "stuck too", device);
        stuck.failure = new IllegalStateException("first");
        stuckToo.failure = new IllegalStateException("second");
        assertThatThrownBy(device::close)
                .isSameAs(stuckToo.failure)
                .satisfies(e -> assertThat(e.getSuppressed()).containsExactly(stuck.failure));
        assertThat(device.isClosed()).isFalse();
        stuck.failure = null;
        stuckToo.failure = null;
        device.close();
        assertThat(closed).containsExactly("stuck too", "stuck", "device");
    }

    @Test
    void nothingCanBeAddedToWhatIsClosed() {
        Thing device = thing(Resource.Rank.BASE, "device");
        Thing memory = thing(Resource.Rank.BASE, "memory");
        memory.close();
        assertThatThrownBy(() -> thing(Resource.Rank.BUFFER, "buffer", device, memory))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("memory is closed");
        assertThat(device.hasDependents())
                .as("the other owner was not left with it")
                .isFalse();
    }
}
