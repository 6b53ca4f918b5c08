package io.github.comch4j.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelOption;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The options of channels, and what they tell their channel. */
class ComchConfigTest {
    private final List<String> told = new ArrayList<>();

    private ComchConfig config(boolean server) {
        return new ComchConfig(
                new EmbeddedChannel(),
                new ChannelSettings(),
                server,
                () -> told.add("changed"),
                () -> told.add("cleared"));
    }

    @Test
    void aChannelIsToldThatItReadsNoMoreByItself() {
        ComchConfig config = config(false);
        config.setAutoRead(true);
        assertThat(told).isEmpty();
        config.setAutoRead(false);
        assertThat(told).containsExactly("cleared");
        config.setAutoRead(false);
        assertThat(told).as("only once").hasSize(1);
    }

    @Test
    void aChannelIsToldOfItsEndpointsSettingsAlone() {
        ComchConfig config = config(false);
        assertThat(config.setOption(ComchChannelOption.SEND_TASKS, 5)).isTrue();
        assertThat(told).containsExactly("changed");
        assertThat(config.settings().get(ComchChannelOption.SEND_TASKS)).isEqualTo(5);
        assertThat(config.getOption(ComchChannelOption.SEND_TASKS)).isEqualTo(5);
        assertThat(config.setOption(ChannelOption.ALLOW_HALF_CLOSURE, true)).isTrue();
        assertThat(config.setOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, 7)).isTrue();
        assertThat(config.setOption(ChannelOption.SO_BACKLOG, 7)).isFalse();
        assertThat(told).hasSize(1);
    }

    @Test
    void channelsHaveTheOptionsOfSockets() {
        ComchConfig config = config(false);
        for (ChannelOption<Boolean> option :
                List.of(ChannelOption.ALLOW_HALF_CLOSURE, ChannelOption.SO_KEEPALIVE, ChannelOption.TCP_NODELAY)) {
            for (boolean value : new boolean[] {true, false, true}) {
                assertThat(config.setOption(option, value)).isTrue();
                assertThat(config.getOption(option)).isEqualTo(value);
            }
        }
        assertThat(config.allowsHalfClosure()).isTrue();
        assertThat(config.getOption(ChannelOption.SO_BACKLOG)).isNull();
        assertThat(config.getOptions())
                .containsKeys(ChannelOption.SO_KEEPALIVE, ChannelOption.SO_RCVBUF, ChannelOption.AUTO_READ)
                .doesNotContainKey(ChannelOption.SO_BACKLOG);
    }

    @Test
    void serversHaveABacklog() {
        ComchConfig config = config(true);
        assertThat(config.setOption(ChannelOption.SO_BACKLOG, 1)).isTrue();
        assertThat(config.backlog()).isEqualTo(1);
        assertThat(config.getOption(ChannelOption.SO_BACKLOG)).isEqualTo(1);
        assertThatThrownBy(() -> config.setOption(ChannelOption.SO_BACKLOG, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 is less than 1");
        assertThat(config.backlog()).isEqualTo(1);
        assertThat(config.setOption(ChannelOption.TCP_NODELAY, true)).isFalse();
        assertThat(config.getOptions())
                .containsKeys(ChannelOption.SO_BACKLOG, ChannelOption.SO_RCVBUF)
                .doesNotContainKey(ChannelOption.TCP_NODELAY);
    }
}
