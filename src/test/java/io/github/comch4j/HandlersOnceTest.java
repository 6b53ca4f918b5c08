package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.Pair;
import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.dma.DmaContext;
import io.github.comch4j.dpa.MessageQueue;
import io.github.comch4j.dpa.MessageQueueConsumer;
import io.github.comch4j.dpa.MessageQueueProducer;
import io.github.comch4j.io.MessageSocket;
import io.github.comch4j.rpc.RpcClient;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every builder there is refuses a handler that it has already: the second would take the place of the first. */
@Timeout(60)
class HandlersOnceTest {

    private static List<Method> handlers(Class<?> builder) {
        return Arrays.stream(builder.getMethods())
                .filter(method -> method.getName().matches("on[A-Z].*") && !method.isBridge())
                .toList();
    }

    private static Object nothing(Class<?> handler) {
        return Proxy.newProxyInstance(
                handler.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> null);
    }

    private static void set(Object builder, Method setting) throws Throwable {
        try {
            setting.invoke(builder, nothing(setting.getParameterTypes()[0]));
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static void refusesASecond(Supplier<?> builders) throws Throwable {
        for (Method setting : handlers(builders.get().getClass())) {
            Object builder = builders.get();
            set(builder, setting);
            assertThatThrownBy(() -> set(builder, setting))
                    .as(setting.toString())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(setting.getName() + " of the ");
        }
    }

    @Test
    void aHandlerIsSetOnce() throws Throwable {
        try (Pair pair = new Pair();
                EventLoop loop = EventLoop.start("loop")) {
            Machine machine = pair.machine;
            Map<Class<?>, Supplier<?>> builders = new HashMap<>();
            builders.put(ComchServer.Builder.class, machine::server);
            builders.put(ComchClient.Builder.class, machine::client);
            builders.put(ComchProducer.Builder.class, () -> pair.hostSide.producer(machine.engine));
            builders.put(ComchConsumer.Builder.class, () -> pair.dpuSide.consumer(machine.engine, pair.receiveMemory));
            builders.put(SlotProducer.Builder.class, () -> pair.hostSide.slotProducer(machine.engine, 64));
            builders.put(SlotConsumer.Builder.class, () -> pair.dpuSide.slotConsumer(machine.engine, 64));
            builders.put(DmaContext.Builder.class, () -> DmaContext.builder(machine.dpu, machine.engine));
            builders.put(MessageSocket.Builder.class, () -> MessageSocket.builder(loop, machine.host, machine.name));
            builders.put(RpcClient.Builder.class, () -> RpcClient.builder(loop, machine.host, machine.name));
            for (Supplier<?> each : builders.values()) {
                refusesASecond(each);
            }
            Set<Class<?>> all = PublicApiTest.publicClasses().stream()
                    .filter(type -> type.getSimpleName().equals("Builder") && !Modifier.isAbstract(type.getModifiers()))
                    .filter(type -> !handlers(type).isEmpty())
                    .collect(Collectors.toSet());
            builders.put(MessageQueueProducer.Builder.class, () -> null); // below
            builders.put(MessageQueueConsumer.Builder.class, () -> null);
            assertThat(all).isEqualTo(builders.keySet());
        }
    }

    @Test
    @Needs(Feature.DPA)
    void aHandlerOfAQueuesEndIsSetOnce() throws Throwable {
        try (Machine machine = new Machine();
                MessageQueue queue = MessageQueue.onCpu(machine.host, 1, 1)) {
            refusesASecond(() -> queue.producer(machine.engine));
            refusesASecond(() -> queue.consumer(machine.engine));
        }
    }
}
