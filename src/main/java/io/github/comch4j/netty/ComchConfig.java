package io.github.comch4j.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.util.NetUtil;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options of a channel or server channel. Any thread. */
final class ComchConfig extends DefaultChannelConfig {
    private final ChannelSettings settings;
    private final boolean server;
    private final Runnable changed;
    private final Runnable autoReadCleared;
    private volatile boolean allowHalfClosure;
    private volatile boolean keepAlive = true;
    private volatile boolean noDelay = true;
    private volatile int backlog = NetUtil.SOMAXCONN;

    /**
     * The options.
     *
     * @param changed run when an option of {@code settings} has another value
     */
    ComchConfig(Channel channel, ChannelSettings settings, boolean server, Runnable changed, Runnable autoReadCleared) {
        super(channel);
        this.settings = settings;
        this.server = server;
        this.changed = changed;
        this.autoReadCleared = autoReadCleared;
    }

    ChannelSettings settings() {
        return settings;
    }

    boolean allowsHalfClosure() {
        return allowHalfClosure;
    }

    int backlog() {
        return backlog;
    }

    private ChannelOption<?>[] ownOptions() {
        return server
                ? new ChannelOption<?>[] {ChannelOption.SO_BACKLOG}
                : new ChannelOption<?>[] {
                    ChannelOption.ALLOW_HALF_CLOSURE, ChannelOption.SO_KEEPALIVE, ChannelOption.TCP_NODELAY
                };
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(getOptions(super.getOptions(), ownOptions()), ChannelSettings.OPTIONS);
    }

    @Override
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    public <T> @Nullable T getOption(ChannelOption<T> option) {
        Object value = own(option);
        if (value == null) {
            value = settings.get(option);
        }
        return value == null ? super.getOption(option) : (T) value;
    }

    private @Nullable Object own(ChannelOption<?> option) {
        if (server) {
            return option == ChannelOption.SO_BACKLOG ? backlog : null;
        } else if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            return allowHalfClosure;
        } else if (option == ChannelOption.SO_KEEPALIVE) {
            return keepAlive;
        } else if (option == ChannelOption.TCP_NODELAY) {
            return noDelay;
        }
        return null;
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (setOwn(option, value)) {
            return true;
        }
        if (settings.set(option, value)) {
            changed.run();
            return true;
        }
        return super.setOption(option, value);
    }

    private boolean setOwn(ChannelOption<?> option, Object value) {
        if (server) {
            if (option != ChannelOption.SO_BACKLOG) {
                return false;
            }
            backlog = positive((Integer) value);
        } else if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            allowHalfClosure = (Boolean) value;
        } else if (option == ChannelOption.SO_KEEPALIVE) {
            keepAlive = (Boolean) value;
        } else if (option == ChannelOption.TCP_NODELAY) {
            noDelay = (Boolean) value;
        } else {
            return false;
        }
        return true;
    }

    private static int positive(int value) {
        if (value < 1) {
            throw new IllegalArgumentException("SO_BACKLOG " + value + " is less than 1");
        }
        return value;
    }

    @Override
    protected void autoReadCleared() {
        autoReadCleared.run();
    }
}
