package drover.opsagent.docker;

import drover.opsagent.docker.engine.EngineFailed;
import drover.opsagent.docker.engine.EngineRetry;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.function.Supplier;

/** What is asked of an engine: patiently, and of each program one thing at a time. */
final class EngineOperations {
    private static final Duration SOON = Duration.ofSeconds(60); // for an engine to start again
    private static final Duration BOOT = Duration.ofMinutes(5); // for one that starts after us

    private final Ticker ticker;
    private final EngineRetry retry;

    EngineOperations(Ticker ticker) {
        this.ticker = ticker;
        this.retry = new EngineRetry(ticker);
    }

    /** Changes something about a program that nobody else changes meanwhile. */
    interface Change {
        void on(ManagedContainer managed);
    }

    /** When an engine that is started again will have come up. */
    Deadline restartDeadline() {
        return ticker.in(SOON);
    }

    /** Waits until the engine answers at all. */
    void awaitEngine(Runnable question) {
        run(ticker.in(BOOT), question);
    }

    /** Does it, and fails as an action does. */
    void run(Deadline deadline, Runnable work) {
        call(
                deadline,
                () -> {
                    work.run();
                    return true;
                });
    }

    /** The same with an answer. */
    <T> T call(Deadline deadline, Supplier<T> work) {
        try {
            return retry.retry(deadline, work);
        } catch (EngineFailed e) {
            throw new ActionFailed(
                    ReasonCode.ENGINE_FAILED, e.message() + ": look at the engine, then retry.");
        }
    }

    /** Does it, and fails as the engine does. */
    void retry(Deadline deadline, Runnable work) {
        retry.retry(
                deadline,
                () -> {
                    work.run();
                    return true;
                });
    }

    /** Changes something about a program, and fails as an action does. */
    void withLock(ManagedContainer managed, Deadline deadline, Change change) {
        managed.lock.lock();
        try {
            run(deadline, () -> change.on(managed));
        } finally {
            managed.lock.unlock();
        }
    }

    /** Looks at something; when the engine cannot say, it is something else. */
    <T> T read(Supplier<T> work, T otherwise) {
        try {
            return retry.read(work);
        } catch (EngineFailed e) {
            return otherwise;
        }
    }
}
