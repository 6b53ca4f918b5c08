package io.github.comch4j.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A loop's handler, whose thread is the test's. */
@Timeout(60)
class RegistrationTest {
    private static final IoHandlerContext NO_REST = new IoHandlerContext() {
        @Override
        public boolean canBlock() {
            return false;
        }

        @Override
        public long delayNanos(long now) {
            return 0;
        }

        @Override
        public long deadlineNanos() {
            return -1;
        }
    };

    private final IoHandler handler = ComchIoHandler.newFactory().newHandler(new ThreadAwareExecutor() {
        @Override
        public boolean isExecutorThread(Thread thread) {
            return true;
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }
    });
    private final List<String> told = new ArrayList<>();

    /** Notes what it is told. */
    private final class Handle implements ComchIoHandle {
        private final String name;

        Handle(String name) {
            this.name = name;
        }

        @Override
        public void registered() {
            told.add(name + " registered");
        }

        @Override
        public void unregistered() {
            told.add(name + " unregistered");
        }

        @Override
        public void handle(IoRegistration registration, IoEvent event) {
            told.add(name + " ready");
        }

        @Override
        public void close() {
            told.add(name + " closed");
        }
    }

    private Registration register(String name) throws Exception {
        Registration registration = handler.register(new Handle(name)).attachment();
        assertThat(told).containsExactly(name + " registered");
        told.clear();
        return registration;
    }

    @AfterEach
    void end() {
        handler.destroy();
    }

    @Test
    void aChannelIsToldOncePerRoundThatItIsReady() throws Exception {
        Registration a = register("a");
        Registration b = register("b");
        b.ready();
        a.ready();
        b.ready();
        assertThat(handler.run(NO_REST)).isEqualTo(2);
        assertThat(told).containsExactly("b ready", "a ready");
        assertThat(handler.run(NO_REST)).isZero();
        b.ready();
        assertThat(handler.run(NO_REST)).isEqualTo(1);
        assertThat(told).containsExactly("b ready", "a ready", "b ready");
    }

    @Test
    void oneThatIsCancelledIsToldNothingMore() throws Exception {
        Registration registration = register("a");
        registration.ready();
        assertThat(registration.isValid()).isTrue();
        assertThat(registration.cancel()).isTrue();
        assertThat(registration.isValid()).isFalse();
        assertThat(registration.cancel()).as("the second time").isFalse();
        handler.run(NO_REST);
        registration.ready();
        handler.run(NO_REST);
        assertThat(told).containsExactly("a unregistered");
    }

    @Test
    void theEndOfALoopClosesWhatIsRegisteredThen() throws Exception {
        Registration gone = register("gone");
        register("there");
        assertThat(gone.cancel()).isTrue();
        handler.prepareToDestroy();
        assertThat(told).containsExactly("gone unregistered", "there closed");
    }

    @Test
    void nothingIsSubmitted() throws Exception {
        Registration registration = register("a");
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> registration.submit(null));
    }
}
