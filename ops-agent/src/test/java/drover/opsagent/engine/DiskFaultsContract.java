package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Timeout.ThreadMode.SEPARATE_THREAD;

import drover.model.AttemptOutcome;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.journal.AttemptStatus;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every runtime on a disk that fails, once or from some point on, while it is written or read: each
 * attempt ends all old, all new, or is told to be neither, and no program of mixed parts is ever
 * started. What is told is held against what is there while the disk still fails.
 */
public abstract class DiskFaultsContract {
    private static final int MOST_POINTS = 150;

    /** A fresh node on which the old version runs, and an agent that takes the upgrade. */
    public interface Node {
        /** Where the files and the agent's records are. */
        SimulatedDisk disk();

        /** Gives the agent the upgrade; the leader does so again until it is told of it. */
        void take();

        /** What the agent tells of the attempt; absent before it tells anything. */
        @Nullable AttemptStatus reported();

        /** Whether all of the old version is there, and runs. */
        boolean isOld();

        /** Whether all of the new version is there, and runs. */
        boolean isNew();

        /** What was started and must not have been. */
        List<String> violations();
    }

    /** What fails. */
    protected enum Fault {
        /** One write. */
        A_WRITE(true, false, false),
        /** Every write from one on, for want of room. */
        WRITES_ON_A_FULL_DISK(true, true, true),
        /** Every write from one on, as when the file system turned read-only. */
        WRITES_FROM_ONE_ON(true, true, false),
        /** One read, listing, or look at the room. */
        ONE_READ(false, false, false),
        /** Every one of them from one on. */
        READS_FROM_ONE_ON(false, true, false);

        private final boolean onWrite;
        private final boolean lasts;
        private final boolean full;

        Fault(boolean onWrite, boolean lasts, boolean full) {
            this.onWrite = onWrite;
            this.lasts = lasts;
            this.full = full;
        }

        private boolean strikes(int left) {
            return lasts ? left <= 0 : left == 0;
        }

        private DiskFailure failure() {
            return new DiskFailure("No luck", full, new IllegalStateException());
        }
    }

    /** Counts down to the fault. */
    private static final class Countdown {
        private int left;

        Countdown(SimulatedDisk disk, Fault fault, int point) {
            left = point;
            Runnable strike =
                    () -> {
                        int now = left--;
                        if (fault.strikes(now)) {
                            throw fault.failure();
                        }
                    };
            if (fault.onWrite) {
                disk.setWriteHook(strike);
            } else {
                disk.setReadHook(strike);
            }
        }

        boolean isOver() {
            return left < 0;
        }

        static void none(SimulatedDisk disk) {
            disk.setWriteHook(() -> {});
            disk.setReadHook(() -> {});
        }
    }

    /** A fresh one. */
    protected abstract Node node();

    @ParameterizedTest
    @EnumSource(Fault.class)
    @Timeout(value = 600, threadMode = SEPARATE_THREAD)
    @DisplayName("D3 D15: wherever the disk fails, the node is whole, or is told not to be")
    void isCompleteOrMarkedAsIncomplete(Fault fault) {
        int all = pointsOf(fault);
        int stride = 1 + all / MOST_POINTS;
        List<String> bad = new ArrayList<>();
        Map<AttemptOutcome, Integer> outcomes = new EnumMap<>(AttemptOutcome.class);
        for (int point = 0; point < all; point += stride) {
            Node node = node();
            Countdown countdown = new Countdown(node.disk(), fault, point);
            take(node);
            Countdown.none(node.disk()); // so that what is there can be looked at
            assertThat(countdown.isOver()).as("point %d is reached", point).isTrue();
            AttemptStatus received = node.reported();
            AttemptOutcome outcome =
                    received == null
                            ? AttemptOutcome.REFUSED
                            : received.journal().ending().outcome();
            outcomes.merge(outcome, 1, Integer::sum);
            if (!isTrue(node, outcome)
                    || !isConfirmed(received, outcome)
                    || !node.violations().isEmpty()) {
                bad.add(point + " " + outcome + " " + node.violations());
            }
        }
        System.out.println(getClass().getSimpleName() + " " + fault + " " + all + " " + outcomes);
        assertThat(bad).isEmpty();
    }

    private int pointsOf(Fault fault) {
        Node node = node();
        int[] counted = {0};
        Runnable count = () -> counted[0]++;
        if (fault.onWrite) {
            node.disk().setWriteHook(count);
        } else {
            node.disk().setReadHook(count);
        }
        take(node);
        Countdown.none(node.disk());
        assertThat(node.isNew()).as("without a fault it succeeds").isTrue();
        return counted[0];
    }

    private static void take(Node node) {
        try {
            node.take();
        } catch (DiskFailure _) {
            // Before its journal is durable an attempt has not begun: the leader asks again
        }
    }

    /** An attempt that has changed nothing never ends as one that could not be undone. */
    private static boolean isConfirmed(@Nullable AttemptStatus received, AttemptOutcome outcome) {
        return received == null
                || outcome != AttemptOutcome.FAILED_ROLLBACK
                || received.journal().mayHaveMutated();
    }

    /** What was not told of has not begun. */
    private static boolean isTrue(Node node, AttemptOutcome outcome) {
        return switch (outcome) {
            case SUCCEEDED -> node.isNew();
            case FAILED, REFUSED -> node.isOld();
            case FAILED_ROLLBACK -> true;
            case IN_PROGRESS, WITHDRAWN, RESTORED -> false; // left open, nobody would end it
        };
    }
}
