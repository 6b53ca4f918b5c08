package io.github.comch4j.internal.observe;

import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * The library's logger. Made at its first use: most processes have nothing to log, and do not wait for a logger at
 * their start.
 */
public final class Log {
    private static final String NAME = "io.github.comch4j";

    private Log() {}

    /** Logger {@code io.github.comch4j}. */
    public static System.Logger logger() {
        return Holder.LOGGER;
    }

    /**
     * Logs something that nobody waits for, INFO or WARNING, in a thread of its own: the first line that a process logs
     * takes the JDK a tenth of a second. The logger is the line's source, and no class or method of ours.
     */
    public static void later(System.Logger.Level level, String text) {
        Later later = new Later(level, text);
        later.start();
    }

    private static final class Holder {
        static final System.Logger LOGGER = System.getLogger(NAME);
    }

    /** No daemon, so that the line is written in a program that ends at once. */
    private static final class Later extends Thread {
        private final System.Logger.Level level;
        private final String text;

        Later(System.Logger.Level level, String text) {
            super("comch4j-log");
            this.level = level;
            this.text = text;
        }

        @Override
        public void run() {
            if ("java.logging"
                    .equals(System.LoggerFinder.getLoggerFinder()
                            .getClass()
                            .getModule()
                            .getName())) {
                JavaUtilLogging.log(level, text);
            } else {
                logger().log(level, text);
            }
        }
    }

    /** Where System.Logger leads to java.util.logging, which alone can be told the source. */
    private static final class JavaUtilLogging {
        private JavaUtilLogging() {}

        static void log(System.Logger.Level level, String text) {
            Logger logger = Logger.getLogger(NAME);
            Level severity = Level.parse(level.getName());
            if (!logger.isLoggable(severity)) {
                return; // before any class of a record is loaded
            }
            LogRecord said = new LogRecord(severity, text);
            said.setLoggerName(NAME);
            said.setSourceClassName(null); // then formatters name the logger
            logger.log(said);
        }
    }
}
