package drover.standalone.command;

import java.io.Console;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Consumer;
import java.util.function.Supplier;
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

    /** What Ctrl-C stops. A confirmation counts for the same extent only. */
    enum PartsToStop {
        /** Nothing that needs a confirmation. */
        NOTHING,
        /** Programs that run during a start. */
        PROGRAMS,
        /** The services; the programs keep running. */
        SERVICES,
        /** Everything. */
        SERVICES_AND_PROGRAMS
    }

    /**
     * Effect of Ctrl-C at one moment.
     *
     * @param text for example {@code stops 2 programs}; its numbers may differ at the second Ctrl-C
     */
    record Effect(PartsToStop extent, String text) {
        static final Effect NONE = new Effect(PartsToStop.NOTHING, "");
    }

    private final InstantSource clock;
    private final Supplier<Effect> effect;
    private final String alternative;
    private final Consumer<String> output;
    private final Runnable exit;
    private @Nullable Instant validUntil; // null before the first Ctrl-C
    private PartsToStop announced = PartsToStop.NOTHING;

    InterruptConfirmation(
            InstantSource clock,
            Supplier<Effect> effect,
            String alternative,
            Consumer<String> output,
            Runnable exit) {
        this.clock = clock;
        this.effect = effect;
        this.alternative = alternative;
        this.output = output;
        this.exit = exit;
    }

    /**
     * Handles Ctrl-C of this process from now on, if it has a terminal.
     *
     * @param output prints a line
     * @param effect what Ctrl-C stops at this moment
     * @param alternative sentence that says how to stop less
     */
    @SuppressWarnings(
            "SystemConsoleNull") // null without a terminal, in Java 25 again (JDK-8351435)
    static void installIfTerminal(
            Consumer<String> output, Supplier<Effect> effect, String alternative) {
        Console console = System.console();
        if (console != null && console.isTerminal()) {
            var confirmation =
                    new InterruptConfirmation(
                            InstantSource.system(),
                            effect,
                            alternative,
                            output,
                            () -> System.exit(INTERRUPTED));
            handleInterrupts(confirmation::onInterrupt);
        }
    }

    synchronized void onInterrupt() {
        Instant now = clock.instant();
        boolean pending = validUntil != null && now.isBefore(validUntil);
        Effect stops = readEffect(pending ? announced : PartsToStop.SERVICES_AND_PROGRAMS);
        if (stops.extent() == PartsToStop.NOTHING || (pending && stops.extent() == announced)) {
            exit.run();
            return;
        }
        validUntil = now.plus(VALIDITY);
        announced = stops.extent();
        output.accept(
                "Ctrl-C "
                        + stops.text()
                        + ". Press it again within "
                        + VALIDITY.toSeconds()
                        + " s to confirm. "
                        + alternative);
    }

    /** Ctrl-C must have an effect also if it cannot be determined what it stops. */
    private Effect readEffect(PartsToStop ifUnknown) {
        try {
            return effect.get();
        } catch (RuntimeException e) {
            LOG.warn("What Ctrl-C stops cannot be determined", e);
            return new Effect(ifUnknown, "stops the services and the programs of the nodes");
        }
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
