package drover.opsagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.opsagent.main.Waits;
import drover.opsagent.time.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the runtime relies on, of the real systemd as of its double. */
abstract class UnitsContract {
    static final UnitName PROBE = new UnitName("probe.service");
    private static final Duration SOON = Waits.LIMIT;

    /** The port. */
    abstract SystemdUnits units();

    /** A moment that is far enough away. */
    abstract Deadline deadline();

    /** Puts the unit's file there, which systemd has not read yet. */
    abstract void write(String unitFile) throws IOException;

    /** Closes or opens the unit's gate on the disk. */
    abstract void gate(boolean closed) throws IOException;

    /** The line that starts a program that runs until it is told to end. */
    abstract String runs();

    /** The lines that start a program which leaves a process behind when it is stopped. */
    abstract String leavesBehind();

    /** The line that starts a program that ends at once, and badly. */
    abstract String falls();

    /** This process ends by itself, badly. */
    abstract void fall(long pid);

    @AfterEach
    void nothingRuns() throws IOException {
        gate(false);
        units().stop(PROBE, deadline());
        units().kill(PROBE);
        units().resetFailed(PROBE);
    }

    private void loaded(String... lines) throws IOException {
        write("[Service]\n" + String.join("\n", lines) + "\n");
        units().reload(deadline());
    }

    private UnitProperties whenIt(Predicate<UnitProperties> is) {
        return await().atMost(SOON).until(() -> units().readProperties(PROBE), is);
    }

    @Test
    void aUnitThatIsNotThereIsNotLoaded() {
        UnitProperties view = units().readProperties(new UnitName("nobody-wrote-this.service"));
        assertThat(view.isLoaded()).isFalse();
        assertThat(view.isDown()).isTrue();
    }

    @Test
    @DisplayName("D4: after a stop it is down, and its control group is empty")
    void startsAndStops() throws IOException {
        loaded(runs());
        units().start(PROBE, deadline());
        UnitProperties up = units().readProperties(PROBE);
        assertThat(up.isUp()).isTrue();
        assertThat(units().members(up.controlGroup())).containsExactly(up.mainPid());
        units().stop(PROBE, deadline());
        UnitProperties down = units().readProperties(PROBE);
        assertThat(down.isDown()).isTrue();
        assertThat(down.hasFailed()).isFalse();
        assertThat(down.mainPid()).isZero();
        assertThat(units().members(up.controlGroup())).isEmpty();
    }

    @Test
    void eachStartIsAnotherRun() throws IOException {
        loaded(runs());
        units().start(PROBE, deadline());
        String first = units().readProperties(PROBE).invocation();
        units().stop(PROBE, deadline());
        units().start(PROBE, deadline());
        assertThat(first).isNotEmpty();
        assertThat(units().readProperties(PROBE).invocation()).isNotEmpty().isNotEqualTo(first);
    }

    @Test
    void startingWhatRunsChangesNothing() throws IOException {
        loaded(runs());
        units().start(PROBE, deadline());
        UnitProperties before = units().readProperties(PROBE);
        units().start(PROBE, deadline());
        assertThat(units().readProperties(PROBE)).isEqualTo(before);
    }

    @Test
    void whatFallsHasFailedUntilThatIsForgotten() throws IOException {
        loaded(falls());
        units().start(PROBE, deadline());
        assertThat(whenIt(UnitProperties::hasFailed).isDown()).isTrue();
        units().resetFailed(PROBE);
        assertThat(units().readProperties(PROBE).hasFailed()).isFalse();
    }

    @Test
    void countsWhatItStartsAgainByItselfAndForgetsItAtTheNextStart() throws IOException {
        loaded(runs(), "Restart=always", "RestartSec=100ms");
        units().start(PROBE, deadline());
        UnitProperties first = units().readProperties(PROBE);
        fall(first.mainPid());
        UnitProperties again = whenIt(view -> view.isUp() && view.restarts() == 1);
        assertThat(again.invocation()).isNotEqualTo(first.invocation());
        assertThat(again.mainPid()).isNotEqualTo(first.mainPid());
        units().stop(PROBE, deadline());
        units().start(PROBE, deadline());
        assertThat(units().readProperties(PROBE).restarts()).isZero();
    }

    @Test
    void aStoppedUnitIsNotStartedAgain() throws IOException {
        loaded(falls(), "Restart=always", "RestartSec=1h");
        units().start(PROBE, deadline());
        units().stop(PROBE, deadline());
        assertThat(whenIt(UnitProperties::isDown).isUpOrStarting()).isFalse();
    }

    @Test
    void readsUnitFilesAtAReloadAndNoSooner() throws IOException {
        loaded(runs());
        units().start(PROBE, deadline());
        write("[Service]\n" + runs() + "\nRestart=always\n");
        assertThat(units().readProperties(PROBE).value("Restart")).isEqualTo("no");
        units().reload(deadline());
        assertThat(units().readProperties(PROBE).value("Restart")).isEqualTo("always");
        assertThat(units().readProperties(PROBE).isUp()).isTrue();
    }

    @Test
    @DisplayName("D12: a closed gate forbids the start; removing the file alone opens it")
    void aGateForbidsTheStart() throws IOException {
        loaded(runs());
        gate(true);
        units().reload(deadline());
        units().start(PROBE, deadline());
        assertThat(units().readProperties(PROBE).isDown()).isTrue();
        gate(false);
        units().start(PROBE, deadline());
        assertThat(units().readProperties(PROBE).isUp()).isTrue();
    }

    @Test
    @DisplayName("D4: what a stop leaves behind is counted, and killed although the unit is down")
    void killsWhatAStopLeftBehind() throws IOException {
        loaded(leavesBehind(), "KillMode=process");
        units().start(PROBE, deadline());
        String group = units().readProperties(PROBE).controlGroup();
        await().atMost(SOON).until(() -> units().members(group).size() == 2);
        units().stop(PROBE, deadline());
        assertThat(units().readProperties(PROBE).isDown()).isTrue();
        assertThat(units().members(group)).hasSize(1);
        units().kill(PROBE);
        await().atMost(SOON).until(() -> units().members(group), List::isEmpty);
    }

    @Test
    void theTailOfTheJournalIsBounded() {
        assertThat(units().journalTail(PROBE, "0123456789abcdef0123456789abcdef", 40).length())
                .isLessThanOrEqualTo(40);
    }
}
