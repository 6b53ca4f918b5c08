package io.github.comch4j.micrometer;

import io.github.comch4j.internal.observe.LiveObjects;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Meters for the engines, connections, producers, consumers and calls of this process, for any Micrometer registry.
 *
 * {@snippet file="Pieces.java" region="metrics"}
 *
 * <p>Objects with the same server name and the same side share their meters. The tags are {@code role} ({@code client}
 * or {@code server}) and {@code server} (its name); no tag has an unbounded number of values. Counters include objects
 * that have ended since the binding. The meters read the library's own counts, so they cost the sending and receiving
 * threads nothing. {@code docs/observability.md} lists the meters. Any thread may call these methods.
 */
public final class ComchMetrics implements MeterBinder, AutoCloseable {
    private static final Logger LOGGER = System.getLogger("io.github.comch4j");

    private final Tags tags;
    private final List<Binding> bindings = new ArrayList<>();

    /** Creates the meters without additional tags. */
    public ComchMetrics() {
        this(List.of());
    }

    /**
     * Creates the meters with additional tags for each meter.
     *
     * @param tags the program's own tags
     */
    public ComchMetrics(Iterable<Tag> tags) {
        this.tags = Tags.of(tags);
    }

    /**
     * Binds meters to a registry, for objects that exist already and for those created later.
     *
     * @param registry the registry
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        Binding binding = new Binding(Objects.requireNonNull(registry), tags);
        synchronized (bindings) {
            bindings.add(binding);
        }
        LiveObjects.observe(binding);
    }

    /** Removes the meters from all registries that they were bound to. A second call does nothing. */
    @Override
    public void close() {
        List<Binding> ended;
        synchronized (bindings) {
            ended = List.copyOf(bindings);
            bindings.clear();
        }
        ended.forEach(Binding::close);
    }

    /** Whose meters. */
    private record Key<T>(MeteredType<T> kind, Tags tags) {}

    /** Of one registry. What {@link LiveObjects} calls must not throw: a meter must not keep an object from living. */
    private static final class Binding implements LiveObjects.Observer {
        private final MeterRegistry registry;
        private final Tags tags;
        private final Map<Key<?>, MeteredGroup<?>> groups = new HashMap<>();
        private final Queue<Meter> meters = new ConcurrentLinkedQueue<>();

        Binding(MeterRegistry registry, Tags tags) {
            this.registry = registry;
            this.tags = tags;
        }

        @Override
        public void added(Object object) {
            try {
                add(MeteredType.of(object), object);
            } catch (RuntimeException e) {
                LOGGER.log(Level.WARNING, "cannot register meters for " + object, e);
            }
        }

        private <T> void add(MeteredType<T> kind, Object object) {
            T member = kind.type().cast(object);
            Key<T> key = new Key<>(kind, kind.tags().apply(member));
            MeteredGroup<T> members = group(key);
            if (members == null) {
                members = kind.group();
                groups.put(key, members);
                meters.addAll(kind.register(members, tags.and(key.tags), registry));
            }
            members.add(member);
        }

        @Override
        public void removed(Object object) {
            remove(MeteredType.of(object), object);
        }

        private <T> void remove(MeteredType<T> kind, Object object) {
            T member = kind.type().cast(object);
            MeteredGroup<T> members = group(new Key<>(kind, kind.tags().apply(member)));
            if (members != null) {
                members.remove(member);
            }
        }

        @SuppressWarnings("unchecked") // a group has members of its key's kind
        private <T> @Nullable MeteredGroup<T> group(Key<T> key) {
            return (MeteredGroup<T>) groups.get(key);
        }

        void close() {
            LiveObjects.forget(this);
            meters.forEach(registry::remove);
        }
    }
}
