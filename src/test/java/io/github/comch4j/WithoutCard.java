package io.github.comch4j;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/**
 * For runs on an SDK that is installed ({@link Machine#SDK}): a test that fails because DOCA finds no device is left
 * out. {@code scripts/dev/sdk.sh} turns it on, by JUnit's detection of extensions; nothing else does.
 */
public final class WithoutCard implements InvocationInterceptor {
    /** The reason for which a test is left out; scripts/dev/lib/counts.py knows it. */
    static final String LACK = "needs a card";

    private static final String NO_DEVICE = "DOCA finds no device at all";

    @Override
    public <T> T interceptTestClassConstructor(
            Invocation<T> invocation, ReflectiveInvocationContext<Constructor<T>> where, ExtensionContext context)
            throws Throwable {
        return proceed(invocation);
    }

    @Override
    public void interceptBeforeAllMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> where, ExtensionContext context)
            throws Throwable {
        proceed(invocation);
    }

    @Override
    public void interceptBeforeEachMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> where, ExtensionContext context)
            throws Throwable {
        proceed(invocation);
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> where, ExtensionContext context)
            throws Throwable {
        proceed(invocation);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> where, ExtensionContext context)
            throws Throwable {
        proceed(invocation);
    }

    @Override
    public void interceptAfterEachMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> where, ExtensionContext context)
            throws Throwable {
        boolean leftOut = context.getExecutionException().orElse(null) instanceof TestAbortedException;
        if (leftOut) { // what it would close was never made
            invocation.skip();
        } else {
            proceed(invocation);
        }
    }

    private static <T> T proceed(Invocation<T> invocation) throws Throwable {
        try {
            return invocation.proceed();
        } catch (Throwable failure) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                if (String.valueOf(cause.getMessage()).contains(NO_DEVICE)) {
                    throw new TestAbortedException(LACK, failure);
                }
            }
            throw failure;
        }
    }
}
