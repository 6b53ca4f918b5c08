package io.github.comch4j.internal.call;

import io.github.comch4j.internal.load.Symbols;
import io.github.comch4j.internal.observe.Diagnosis;
import io.github.comch4j.internal.observe.Log;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What DOCA's log says about a call that DOCA has just refused. DOCA writes its errors to a pipe, which nobody reads
 * until there is an exception to explain: no upcall, no thread, and nothing to do for what succeeds. The emulated
 * BlueField can be asked and needs none of this.
 */
final class LoggedErrors {
    private static final long RECENT_MILLIS = 1_000;
    private static final long CLOCK_MILLIS = 15 * 60_000; // time zones differ by multiples of that

    /** Apart: a regular expression takes time, and most processes have nothing to explain. */
    private static final class Time {
        static final Pattern TEXT = Pattern.compile("\\d\\d:(\\d\\d):(\\d\\d)[:.](\\d{3})");

        private Time() {}
    }

    private static boolean begun; // guarded by the class

    private final FileInputStream records;

    private LoggedErrors(FileInputStream records) {
        this.records = records;
    }

    /** Listens from here on, if the libraries have a log to listen to. */
    static synchronized void listen() {
        if (begun) {
            return;
        }
        begun = true;
        if (Symbols.has("doca_emu_last_error") || !Symbols.has("doca_log_backend_set_sdk_level")) {
            return;
        }
        try {
            Diagnosis.logFrom(new LoggedErrors(LogCalls.errors())::last);
        } catch (RuntimeException e) {
            Log.logger().log(System.Logger.Level.DEBUG, "exceptions cannot quote DOCA's log", e);
        }
    }

    private synchronized String last() {
        try {
            String all = new String(records.readNBytes(records.available()), StandardCharsets.UTF_8);
            return last(all, System.currentTimeMillis());
        } catch (IOException e) {
            return "";
        }
    }

    /** The last record, or empty if it was not written just before {@code now} and so is about something else. */
    static String last(String records, long now) {
        String record = records.lines().reduce("", (earlier, later) -> later).strip();
        Matcher time = Time.TEXT.matcher(record);
        if (!time.find()) {
            return "";
        }
        long written = (Long.parseLong(time.group(1)) * 60 + Long.parseLong(time.group(2))) * 1_000
                + Long.parseLong(time.group(3));
        boolean recent = Math.floorMod(now - written, CLOCK_MILLIS) <= RECENT_MILLIS;
        return recent ? "DOCA's log says \"" + record + '"' : "";
    }
}
