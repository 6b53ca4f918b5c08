package io.github.comch4j.testing;

import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.github.comch4j.emulator.EmulatedMachine;
import io.github.comch4j.emulator.EmulatedTest;
import io.github.comch4j.emulator.PeerProcess;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * What {@link EmulatedBlueField} does. The machine of a test is in the store of its context, or in that of its class; a
 * thread means it only while a method of the test runs in it.
 */
final class EmulatedBlueFieldExtension
        implements BeforeAllCallback,
                AfterAllCallback,
                BeforeEachCallback,
                AfterEachCallback,
                InvocationInterceptor,
                ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(EmulatedBlueField.class);

    /** For JUnit. */
    EmulatedBlueFieldExtension() {}

    /** Constructors are of the test whose object they make. */
    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
        return ExtensionContextScope.TEST_METHOD;
    }

    // ---- which machine ----

    private static EmulatedBlueField settings(ExtensionContext context) {
        return ofMethod(context)
                .or(() -> ofClass(context))
                .orElseThrow(() ->
                        new IllegalStateException(context.getDisplayName() + " has no annotation @EmulatedBlueField"));
    }

    private static Optional<EmulatedBlueField> ofMethod(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getTestMethod(), EmulatedBlueField.class);
    }

    private static Optional<EmulatedBlueField> ofClass(ExtensionContext context) {
        List<Class<?>> classes = new ArrayList<>(context.getEnclosingTestClasses());
        context.getTestClass().ifPresent(classes::add);
        return classes.reversed().stream()
                .flatMap(type -> AnnotationSupport.findAnnotation(type, EmulatedBlueField.class).stream())
                .findFirst();
    }

    /** Whether the machine is that of the class: a method with settings of its own has a machine of its own. */
    private static boolean isShared(ExtensionContext context) {
        return ofMethod(context).isEmpty()
                && ofClass(context)
                        .filter(settings -> settings.scope() == EmulatedBlueField.Scope.CLASS)
                        .isPresent();
    }

    /** The machine that is meant in a context, made when it is first needed; null: there is none outside of a test. */
    private static @Nullable TestMachine machineOf(ExtensionContext context) {
        Store store = context.getStore(NAMESPACE);
        if (isShared(context)) {
            return store.get(TestMachine.class, TestMachine.class);
        }
        if (context.getTestMethod().isEmpty()) {
            return null;
        }
        // by the context's id, as the store looks into that of the class too
        return store.getOrComputeIfAbsent(
                context.getUniqueId(), id -> new TestMachine(id, settings(context)), TestMachine.class);
    }

    // ---- from test to test ----

    @Override
    public void beforeAll(ExtensionContext context) {
        Store store = context.getStore(NAMESPACE);
        if (isShared(context) && store.get(TestMachine.class) == null) {
            store.put(TestMachine.class, new TestMachine(context.getUniqueId(), settings(context)));
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        TestMachine machine = machineOf(context);
        if (machine != null) {
            machine.test().setFaults(settings(context).faults());
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        TestMachine machine = machineOf(context);
        if (machine == null) {
            return;
        }
        machine.test().setFaults("");
        machine.endPeers(context);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        TestMachine machine = isShared(context) ? machineOf(context) : null;
        if (machine != null && machine.isOf(context)) {
            machine.endPeers(context);
        }
    }

    // ---- the thread means the machine while a method of the test runs ----

    /** Dynamic tests have the machine of their factory, as they have the methods around it in common. */
    private static ExtensionContext ofFactory(ExtensionContext dynamicTest) {
        ExtensionContext factory = dynamicTest;
        while (factory.getTestMethod().isEmpty()) {
            factory = factory.getParent().orElseThrow();
        }
        return factory;
    }

    @Override
    public <T> T interceptTestFactoryMethod(
            Invocation<T> invocation, ReflectiveInvocationContext<Method> called, ExtensionContext context)
            throws Throwable {
        T made = on(invocation, context);
        TestMachine machine = machineOf(context);
        return machine == null ? made : DynamicNodes.on(machine.test(), made);
    }

    @Override
    public void interceptDynamicTest(
            Invocation<@Nullable Void> invocation, DynamicTestInvocationContext called, ExtensionContext context)
            throws Throwable {
        on(invocation, ofFactory(context));
    }

    private static <T extends @Nullable Object> T on(Invocation<T> invocation, ExtensionContext context)
            throws Throwable {
        TestMachine machine = machineOf(context);
        if (machine == null) {
            return invocation.proceed();
        }
        Runnable undo = machine.test().choose();
        try {
            return invocation.proceed();
        } finally {
            undo.run();
        }
    }

    @Override
    public <T> T interceptTestClassConstructor(
            Invocation<T> invocation, ReflectiveInvocationContext<Constructor<T>> called, ExtensionContext context)
            throws Throwable {
        return on(invocation, context);
    }

    @Override
    public void interceptBeforeAllMethod(
            Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> called, ExtensionContext context)
            throws Throwable {
        on(invocation, context);
    }

    @Override
    public void interceptBeforeEachMethod(
            Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> called, ExtensionContext context)
            throws Throwable {
        on(invocation, context);
    }

    @Override
    public void interceptTestMethod(
            Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> called, ExtensionContext context)
            throws Throwable {
        on(invocation, context);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> called, ExtensionContext context)
            throws Throwable {
        on(invocation, context);
    }

    @Override
    public void interceptAfterEachMethod(
            Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> called, ExtensionContext context)
            throws Throwable {
        on(invocation, context);
    }

    @Override
    public void interceptAfterAllMethod(
            Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> called, ExtensionContext context)
            throws Throwable {
        on(invocation, context);
    }

    // ---- parameters ----

    private static final List<Class<?>> TYPES =
            List.of(EmulatedMachine.class, Device.class, Representor.class, ProgressEngine.class, EventLoop.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return TYPES.contains(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        TestMachine machine = machineOf(context);
        if (machine == null) {
            throw new ParameterResolutionException("each test has its own machine, so "
                    + parameter.getDeclaringExecutable()
                    + " cannot get one: move the parameter to a test, @BeforeEach or @AfterEach method, or set"
                    + " scope = CLASS");
        }
        boolean host = parameter.isAnnotated(EmulatedBlueField.Host.class);
        boolean dpu = parameter.isAnnotated(EmulatedBlueField.Dpu.class);
        if (host && dpu) {
            throw new ParameterResolutionException(parameter.getParameter() + " has both @Host and @Dpu");
        }
        EmulatedMachine.@Nullable Side side = host ? EmulatedMachine.Side.HOST : dpu ? EmulatedMachine.Side.DPU : null;
        return machine.test().lend(parameter.getParameter().getType(), side);
    }

    /** A machine, and whose it is. */
    private static final class TestMachine implements AutoCloseable {
        private final String ofContext;
        private final EmulatedBlueField settings;
        private final EmulatedTest test;

        TestMachine(String ofContext, EmulatedBlueField settings) {
            this.ofContext = ofContext;
            this.settings = settings;
            List<String> topology = new ArrayList<>(List.of(settings.topology()));
            for (String limit : settings.limits()) {
                topology.add("limit " + limit.replace('=', ' '));
            }
            if (settings.strict()) {
                topology.add("strict");
            }
            this.test = EmulatedTest.create(settings.side(), topology);
        }

        EmulatedTest test() {
            return test;
        }

        boolean isOf(ExtensionContext context) {
            return ofContext.equals(context.getUniqueId());
        }

        /** Reports and ends the processes of a test; fails if one has ended badly. */
        void endPeers(ExtensionContext context) {
            List<AssertionError> failures = new ArrayList<>();
            for (PeerProcess peer : test.endPeers()) {
                AssertionError failure = peer.unexpectedEnd();
                String output = peer.output();
                context.publishReportEntry(peer.toString(), output.isBlank() ? "(no output)" : output);
                if (failure != null) {
                    failures.add(failure);
                } else if (context.getExecutionException().isPresent()) {
                    // beside the test's own failure, which is often this process's fault
                    AssertionError said = new AssertionError("output of " + peer + ":\n" + output);
                    said.setStackTrace(new StackTraceElement[0]);
                    context.getExecutionException().get().addSuppressed(said);
                }
            }
            throwAll(failures);
        }

        /** When JUnit closes the context, which is after it has closed what bears {@code @AutoClose}. */
        @Override
        public void close() {
            List<AssertionError> failures;
            try {
                failures = test.closeLeaks();
            } finally {
                test.close();
            }
            if (settings.failOnLeaks()) {
                throwAll(failures);
            }
        }

        private static void throwAll(List<AssertionError> failures) {
            if (!failures.isEmpty()) {
                AssertionError first = failures.removeFirst();
                failures.forEach(first::addSuppressed);
                throw first;
            }
        }
    }
}
