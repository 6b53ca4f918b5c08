package io.github.comch4j.cli.conformance;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.WaitInterruptedException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;

/** What came of a call, in words without anything of the owner's machine in them. */
final class CallOutcome {
    static final String SUCCESS = DocaError.SUCCESS.name();
    /** The release lacks the function. */
    static final String LACKS = "not in this release";

    private static final int LONGEST = 300;
    /** Of PCI functions, network cards, IP of both kinds. A probe has no reason to tell one; this makes sure. */
    private static final List<Pattern> ADDRESSES = List.of(
            Pattern.compile("(?i)\\b(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]\\b"),
            Pattern.compile("(?i)\\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\\b"),
            Pattern.compile("\\b\\d{1,3}(?:\\.\\d{1,3}){3}\\b"),
            Pattern.compile("(?i)\\b(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4}\\b|(?i)\\b[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*::"
                    + "[0-9a-f:]*"));

    private CallOutcome() {}

    /** The name of the error, or what the call returned, or that it succeeded. */
    static String of(Callable<?> call) {
        try {
            Object result = call.call();
            return result instanceof SubmitResult submitted && !submitted.accepted() ? submitted.name() : SUCCESS;
        } catch (MissingFunctionException e) {
            return LACKS;
        } catch (WaitInterruptedException | Stage.Over e) {
            throw e;
        } catch (DocaException e) {
            return name(e.code());
        } catch (Exception e) {
            return e.getClass().getSimpleName();
        }
    }

    static String of(Runnable call) {
        return of(() -> {
            call.run();
            return null;
        });
    }

    static String name(int code) {
        DocaError error = DocaError.of(code);
        return error == DocaError.UNRECOGNIZED ? "error " + code : error.name();
    }

    /** What to say of an exception that a probe did not mean to meet. */
    static String unexpected(Throwable thrown) {
        StringBuilder text = new StringBuilder(thrown.getClass().getSimpleName());
        if (thrown instanceof DocaException refusal) {
            text.append(' ').append(name(refusal.code())).append(" from ").append(refusal.function());
        }
        for (StackTraceElement frame : thrown.getStackTrace()) {
            if (frame.getClassName().startsWith(CallOutcome.class.getPackageName())) {
                String type = frame.getClassName();
                return text.append(" at ")
                        .append(type.substring(type.lastIndexOf('.') + 1))
                        .append(':')
                        .append(frame.getLineNumber())
                        .toString();
            }
        }
        return text.toString();
    }

    /** One line, not long, without addresses. */
    static String clean(String text) {
        String line = text.replaceAll("\\p{Cntrl}+", " ").strip();
        for (Pattern address : ADDRESSES) {
            line = address.matcher(line).replaceAll("<address>");
        }
        return line.length() > LONGEST ? line.substring(0, LONGEST) + "…" : line;
    }
}
