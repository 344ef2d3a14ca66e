package drover.kit.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.jul.LevelChangePropagator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.OutputStreamAppender;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * Where a program's log goes and how it looks: {@code 2026-01-01T00:00:00.000Z INFO message
 * key=value}. Every event is one line, whatever it contains; a stack trace is folded into it.
 */
public final class Logging {
    /** Where the log goes. */
    public sealed interface LogOutput {
        /** Standard error, so that standard output stays for results. */
        record Console() implements LogOutput {}

        /** A file that is added to; its folder must exist. */
        record File(Path path) implements LogOutput {}
    }

    /** The variable of the environment that says how much is logged. */
    public static final String LEVEL = "DROVER_LOG_LEVEL";

    private static final String LINE =
            "%d{yyyy-MM-dd'T'HH:mm:ss.SSS'Z', UTC} %level %replace(%msg){'[\\r\\n]+', ' '}"
                    + "%replace(%X{nodeId}){'^(.+)$', ' nodeId=$1'}" // set by agents
                    + "%replace(%replace(%ex{40}){'[\\r\\n]+\\s*', ' | '}){'^(.+?)( \\| )?$', ' | $1'}"
                    + "%nopex%n";

    /** Libraries that tell at INFO what nobody asked for. */
    private static final String[] TALKATIVE = {
        "io.helidon",
        "io.grpc",
        "com.zaxxer.hikari",
        "org.flywaydb",
        "io.zonky",
        "io.netty",
        "io.opentelemetry"
    };

    private Logging() {}

    /** Sends the logs of everything in this process to the sink, from the level on. */
    public static void start(LogOutput sink, org.slf4j.event.Level level) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        bridgeJavaUtilLogging(context);
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.convertAnSLF4JLevel(level));
        for (String library : TALKATIVE) {
            context.getLogger(library).setLevel(Level.WARN);
        }
        root.addAppender(createAppender(sink, context));
    }

    /**
     * As a service logs that runs as a process of its own: to standard error, from the level on
     * that {@value #LEVEL} names.
     *
     * @throws IllegalArgumentException with one sentence, when it names no level
     */
    public static void startForService(Map<String, String> environment) {
        start(new LogOutput.Console(), parseLevel(environment));
    }

    /**
     * The level that {@value #LEVEL} names, in small or capital letters; INFO when it is not set.
     *
     * @throws IllegalArgumentException with one sentence, when it names no level
     */
    public static org.slf4j.event.Level parseLevel(Map<String, String> environment) {
        String named = environment.getOrDefault(LEVEL, "").strip();
        if (named.isEmpty()) {
            return org.slf4j.event.Level.INFO;
        }
        return Arrays.stream(org.slf4j.event.Level.values())
                .filter(level -> level.name().equalsIgnoreCase(named))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        LEVEL
                                                + " is '"
                                                + named
                                                + "'; set it to error, warn, info, debug or trace."));
    }

    /** Warnings and errors alone, to standard error. */
    public static void startWarningsOnly() {
        start(new LogOutput.Console(), org.slf4j.event.Level.WARN);
    }

    /** Nothing at all: for what goes wrong on purpose. */
    public static void disable() {
        startWarningsOnly();
        ((LoggerContext) LoggerFactory.getILoggerFactory())
                .getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)
                .setLevel(Level.OFF);
    }

    private static void bridgeJavaUtilLogging(LoggerContext context) {
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        LevelChangePropagator levels = new LevelChangePropagator(); // so that DEBUG costs nothing
        levels.setContext(context);
        levels.start();
        context.addListener(levels);
    }

    private static OutputStreamAppender<ILoggingEvent> createAppender(
            LogOutput sink, LoggerContext context) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern(LINE);
        encoder.start();
        OutputStreamAppender<ILoggingEvent> appender =
                switch (sink) {
                    case LogOutput.Console() -> {
                        ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
                        console.setTarget("System.err");
                        yield console;
                    }
                    case LogOutput.File(Path path) -> {
                        FileAppender<ILoggingEvent> file = new FileAppender<>();
                        file.setFile(path.toString());
                        yield file;
                    }
                };
        appender.setContext(context);
        appender.setEncoder(encoder);
        appender.start();
        return appender;
    }
}
