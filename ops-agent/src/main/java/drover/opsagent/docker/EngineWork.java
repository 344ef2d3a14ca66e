package drover.opsagent.docker;

import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.function.Supplier;

/** What is asked of an engine: patiently, and of each program one thing at a time. */
final class EngineWork {
    private static final Duration SOON = Duration.ofSeconds(60); // for an engine to start again
    private static final Duration BOOT = Duration.ofMinutes(5); // for one that starts after us

    private final Ticker ticker;
    private final Patience patience;

    EngineWork(Ticker ticker) {
        this.ticker = ticker;
        this.patience = new Patience(ticker);
    }

    /** Changes something about a program that nobody else changes meanwhile. */
    interface Change {
        void on(Managed managed);
    }

    /** When an engine that is started again will have come up. */
    Deadline soon() {
        return ticker.in(SOON);
    }

    /** Waits until the engine answers at all. */
    void awaitBoot(Runnable question) {
        within(ticker.in(BOOT), question);
    }

    /** Does it, and fails as an action does. */
    void within(Deadline deadline, Runnable work) {
        answer(
                deadline,
                () -> {
                    work.run();
                    return true;
                });
    }

    /** The same with an answer. */
    <T> T answer(Deadline deadline, Supplier<T> work) {
        try {
            return patience.until(deadline, work);
        } catch (EngineFailed e) {
            throw new ActionFailed(
                    ReasonCode.ENGINE_FAILED, e.what() + ": look at the engine, then retry.");
        }
    }

    /** Does it, and fails as the engine does. */
    void patiently(Deadline deadline, Runnable work) {
        patience.until(
                deadline,
                () -> {
                    work.run();
                    return true;
                });
    }

    /** Changes something about a program, and fails as an action does. */
    void changing(Managed managed, Deadline deadline, Change change) {
        managed.hands.lock();
        try {
            within(deadline, () -> change.on(managed));
        } finally {
            managed.hands.unlock();
        }
    }

    /** Looks at something; when the engine cannot say, it is something else. */
    <T> T look(Supplier<T> work, T otherwise) {
        try {
            return patience.look(work);
        } catch (EngineFailed e) {
            return otherwise;
        }
    }
}
