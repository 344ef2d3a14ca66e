package drover.standalone.command;

import java.io.Console;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requires a second Ctrl-C, because the first one may be meant for another command and would stop
 * the programs of all nodes. Other signals, and a process without a terminal, are not affected.
 */
final class InterruptConfirmation {
    /** How long a second Ctrl-C counts as the confirmation of the first one. */
    static final Duration VALIDITY = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(InterruptConfirmation.class);
    private static final int INTERRUPTED = 130; // exit code of shells for SIGINT

    private final InstantSource clock;
    private final Runnable question;
    private final Runnable exit;
    private @Nullable Instant validUntil; // null before the first Ctrl-C

    InterruptConfirmation(InstantSource clock, Runnable question, Runnable exit) {
        this.clock = clock;
        this.question = question;
        this.exit = exit;
    }

    /**
     * Handles Ctrl-C of this process from now on, if it has a terminal.
     *
     * @param question prints what a second Ctrl-C stops
     */
    @SuppressWarnings(
            "SystemConsoleNull") // null without a terminal, in Java 25 again (JDK-8351435)
    static void install(Runnable question) {
        Console console = System.console();
        if (console != null && console.isTerminal()) {
            var confirmation =
                    new InterruptConfirmation(
                            InstantSource.system(), question, () -> System.exit(INTERRUPTED));
            handleInterrupts(confirmation::onInterrupt);
        }
    }

    synchronized void onInterrupt() {
        Instant now = clock.instant();
        if (validUntil != null && now.isBefore(validUntil)) {
            exit.run();
            return;
        }
        validUntil = now.plus(VALIDITY);
        question.run();
    }

    /** By reflection: a direct use of this supported class is a compiler warning. */
    private static void handleInterrupts(Runnable handler) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object proxy =
                    Proxy.newProxyInstance(
                            InterruptConfirmation.class.getClassLoader(),
                            new Class<?>[] {handlerType},
                            (self, method, arguments) -> {
                                handler.run();
                                return null;
                            });
            signal.getMethod("handle", signal, handlerType)
                    .invoke(null, signal.getConstructor(String.class).newInstance("INT"), proxy);
        } catch (ReflectiveOperationException e) {
            LOG.warn("Ctrl-C stops everything without confirmation", e);
        }
    }
}
