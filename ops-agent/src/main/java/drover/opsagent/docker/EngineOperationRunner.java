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
final class EngineOperationRunner {
    private static final Duration SOON = Duration.ofSeconds(60); // for an engine to start again
    private static final Duration BOOT = Duration.ofMinutes(5); // for one that starts after us

    private final Ticker ticker;
    private final EngineRetry retry;

    EngineOperationRunner(Ticker ticker) {
        this.ticker = ticker;
        this.retry = new EngineRetry(ticker);
    }

    /** Changes something about a program that nobody else changes meanwhile. */
    interface LockedContainerChange {
        void apply(ContainerRecordAndLock managed);
    }

    /** When an engine that is started again will have come up. */
    Deadline restartDeadline() {
        return ticker.deadlineIn(SOON);
    }

    /** Waits until the engine answers at all. */
    void awaitEngine(Runnable question) {
        runAction(ticker.deadlineIn(BOOT), question);
    }

    /** Does it, and fails as an action does. */
    void runAction(Deadline deadline, Runnable work) {
        callAction(
                deadline,
                () -> {
                    work.run();
                    return true;
                });
    }

    /** The same with an answer. */
    <T> T callAction(Deadline deadline, Supplier<T> work) {
        try {
            return retry.retry(deadline, work);
        } catch (EngineFailed e) {
            throw new ActionFailed(ReasonCode.ENGINE_FAILED, e.message() + ": look at the engine.");
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
    void changeLocked(
            ContainerRecordAndLock managed, Deadline deadline, LockedContainerChange change) {
        managed.lock.lock();
        try {
            runAction(deadline, () -> change.apply(managed));
        } finally {
            managed.lock.unlock();
        }
    }

    /** Looks at something; when the engine cannot say, it is something else. */
    <T> T readOrElse(Supplier<T> work, T otherwise) {
        try {
            return retry.retryRead(work);
        } catch (EngineFailed e) {
            return otherwise;
        }
    }
}
