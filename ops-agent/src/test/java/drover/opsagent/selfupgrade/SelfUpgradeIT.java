package drover.opsagent.selfupgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Hello;
import drover.opsagent.main.AgentJars;
import drover.opsagent.main.AgentProcesses;
import drover.opsagent.main.Faults;
import drover.opsagent.main.HandoverNode;
import drover.opsagent.main.Waits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Seed 001 with two agents that are processes of their own, and a program that they care for: it
 * never restarts, whatever becomes of them. {@link SelfUpgradeKillsIT} kills them at each step.
 */
class SelfUpgradeIT extends HandoverNode {
    private static final String ONE = "1.0.0+first";
    private static final String TWO = "2.0.0+second";
    private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(2);
    private static final long TOO_LARGE = 1L << 50; // a pebibyte

    private Path two;

    @BeforeEach
    void twoVersions() {
        AgentJars.healthy(agents.jar("v1.0.0"), ONE);
        two = AgentJars.healthy(directory.resolve("agent-2.jar"), TWO);
    }

    @Test
    @DisplayName("Up and back again: each successor takes over, and versions stay side by side")
    void handsOverAndBack() throws Exception {
        Process one = start("v1.0.0", AgentProcesses.LONG_DEADLINE);
        String first = digest(agents.jar("v1.0.0")).value();
        assertThat(control.agent().getConfigDigest()).isEqualTo(AgentPackaging.CONFIG.value());
        replace(1, two, TWO);
        AttemptStatus up = over(1);
        assertThat(up.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertThat(up.getSourceDigest()).isEqualTo(first);
        assertThat(up.getRunningDigest()).isEqualTo(digest(two).value());
        assertThat(up.getRunId()).isEqualTo(control.agent().getRunId());
        assertThat(control.statuses).anyMatch(AttemptStatus::getHandoverReady);
        assertThat(control.heartbeats).anyMatch(it -> it.getDraining());
        assertThat(one.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(one.exitValue()).isZero();
        assertThat(control.hellos).anyMatch(Hello::getProbe);
        isWhole(TWO);

        goBack(2, 1, first);
        assertThat(over(2).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        assertThat(agents.jar("v2.0.0")).exists();
        isWholeWithOneAgent(ONE);
    }

    @Test
    @DisplayName(
            "No artifact, no room, other bytes, no self-test: the old one goes on; the next try succeeds")
    @Faults(
            rule = "S1-27 (if staging fails, the old agent continues)",
            sample = "AgentUpgradeTest.staysWhenStagingFails")
    void staysWhenTheNewVersionIsNotHealthy() throws Exception {
        Process one = start("v1.0.0", AgentProcesses.LONG_DEADLINE);
        String wanted = digest(two).value();
        control.send(work(1, two.resolveSibling("nothing-here.jar"), wanted, TWO, 0));
        assertThat(over(1).getReason()).isEqualTo("ARTIFACT_NOT_FOUND");
        control.send(work(2, two, wanted, TWO, TOO_LARGE));
        assertThat(over(2).getReason()).isEqualTo("DISK_FULL");
        assertThat(over(2).getDetail()).contains("prune versions");
        assertThat(agents.jar("v2.0.0")).as("room is looked for first").doesNotExist();
        control.send(work(3, agents.jar("v1.0.0"), wanted, TWO, 0)); // other bytes are served
        assertThat(over(3).getReason()).isEqualTo("CHECKSUM_MISMATCH");
        assertThat(agents.jar("v2.0.0").getParent())
                .as("nothing is kept of them")
                .isEmptyDirectory();
        replace(4, AgentJars.failing(directory.resolve("broken.jar"), "2.0.1"), "2.0.1");
        assertThat(over(4).getReason()).isEqualTo("SELF_TEST_FAILED");
        assertThat(over(4).getDetail()).contains("this build is broken");
        assertThat(agents.jar("v2.0.1")).as("it stays to be looked at").exists();
        assertThat(one.isAlive()).isTrue();
        isWholeWithOneAgent(ONE);
        replace(5, two, TWO); // the same version again
        assertThat(over(5).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        isWholeWithOneAgent(TWO);
    }

    @Test
    @DisplayName("The new agent never speaks, or falls at once: link back, it goes, the old stays")
    @Faults(
            rule = "S1-29 (without a heartbeat of the new agent the link is restored)",
            sample = "AgentUpgradeTest.restoresWhenTheSuccessorDoesNotReport")
    void turnsBackWithoutASignOfLife() throws Exception {
        Process one = start("v1.0.0", SHORT_TIMEOUT);
        replace(1, AgentJars.withoutReports(directory.resolve("silent.jar"), "2.0.0"), "2.0.0");
        assertThat(over(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_FAILED);
        assertThat(over(1).getReason()).isEqualTo("SUCCESSOR_UNSEEN");
        replace(2, AgentJars.crashing(directory.resolve("crashing.jar"), "3.0.0"), "3.0.0");
        assertThat(over(2).getReason()).isEqualTo("SUCCESSOR_UNSEEN");
        assertThat(one.isAlive()).isTrue();
        assertThat(control.stops).isEmpty();
        isWholeWithOneAgent(ONE);
    }

    @Test
    @DisplayName("Silence of the control plane: both stay; it speaks again and the old one goes")
    @Faults(
            rule = "S1-33 (a broken connection is waited for)",
            sample = "AgentUpgradeTest.staysWhileTheControlPlaneIsUnresponsive")
    void bothAgentsStayWithoutAMessage() throws Exception {
        Process one = start("v1.0.0", SHORT_TIMEOUT);
        control.acknowledges = false;
        control.lets = false;
        replace(1, two, TWO);
        await().atMost(LONG).until(() -> standbys() > 0);
        bothStay(one);
        control.lets = true;
        await().atMost(LONG).until(() -> !control.stops.isEmpty());
        control.acknowledges = true; // from here on time counts again
        assertThat(over(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        isWholeWithOneAgent(TWO);
    }

    @Test
    @DisplayName("The link is lost in the hand-over: both dial again and stay, then the old goes")
    @Faults(
            rule = "S1-33 (a broken connection is waited for)",
            sample = "AgentUpgradeTest.staysWhileTheControlPlaneIsUnresponsive")
    void bothStayWithoutALink() throws Exception {
        Process one = start("v1.0.0", SHORT_TIMEOUT);
        control.acknowledges = false;
        control.lets = false;
        replace(1, two, TWO);
        await().atMost(LONG).until(() -> standbys() == 1);
        control.disconnectDuring(() -> bothStay(one));
        control.lets = true;
        await().atMost(LONG).until(() -> !control.stops.isEmpty()); // of both who dialled again
        control.acknowledges = true;
        assertThat(standbys()).isGreaterThan(1);
        assertThat(over(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        isWholeWithOneAgent(TWO);
    }

    @Test
    @DisplayName("Heard, and never let go: told so, the old agent waits without limit, both stay")
    @Faults(
            rule = "S1-30 (without a stop both agents live and one acts)",
            sample = "AgentUpgradeTest.waitsOnceTheSuccessorWasSeen")
    void bothAgentsStayAfterTheSuccessorConnected() throws Exception {
        Process one = start("v1.0.0", SHORT_TIMEOUT);
        control.acknowledges = false;
        control.lets = false;
        control.reportsSeen = true;
        replace(1, two, TWO);
        await().atMost(LONG).until(() -> control.successorSeen);
        control.acknowledges = true; // and time counts, but for what it says
        bothStay(one);
        control.lets = true;
        assertThat(over(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        isWholeWithOneAgent(TWO);
    }

    /** For longer than the old agent waits for one that is not heard. */
    private void bothStay(Process one) {
        await().during(SHORT_TIMEOUT.multipliedBy(2))
                .atMost(LONG)
                .until(() -> one.isAlive() && agents.all().size() == 2);
    }

    @Test
    @DisplayName("C8: the old agent is killed in the hand-over: the new one has the node at once")
    @Faults(rule = "C8 (a node has at most one executor)", sample = "AgentUpgradeTest.endsAnywhere")
    void theSuccessorInheritsFromAKilledAgent() throws Exception {
        Process one = start("v1.0.0", AgentProcesses.LONG_DEADLINE);
        control.lets = false;
        control.acknowledges = false;
        replace(1, two, TWO);
        await().atMost(LONG).until(() -> standbys() > 0);
        control.acknowledges = true;
        one.destroyForcibly().waitFor();
        assertThat(over(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        isWholeWithOneAgent(TWO);
    }

    @Test
    @DisplayName("C8: the old agent is killed in the self-test; started again, it goes on")
    @Faults(rule = "C8 (a node has at most one executor)", sample = "AgentUpgradeTest.endsAnywhere")
    void goesOnAfterAKillInTheSelfTest() throws Exception {
        Process one = start("v1.0.0", AgentProcesses.LONG_DEADLINE);
        replace(1, AgentJars.slow(directory.resolve("slow.jar"), "2.0.0"), "2.0.0");
        await().atMost(LONG).until(() -> isUnderWay("verify"));
        one.destroyForcibly().waitFor();
        agents.start("current", AgentProcesses.LONG_DEADLINE);
        assertThat(over(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        isWholeWithOneAgent("2.0.0");
    }

    @Test
    @DisplayName("A program is being upgraded: that ends first, and only then the agent goes")
    @Faults(
            rule = "S1-13 (work in flight ends before the agent stops)",
            sample = "SelfUpgradeIT.declinesWhileItIsReplaced")
    void endsWhatIsUnderWayFirst() throws Exception {
        start("v1.0.0", AgentProcesses.LONG_DEADLINE);
        control.send(upgrade(1, newProgram, "601"));
        await().atMost(LONG).until(() -> isUnderWay("start_node"));
        int before = control.statuses.size();
        replace(2, two, TWO);
        assertThat(over(2).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertThat(List.copyOf(control.statuses).subList(before, at(2)))
                .as("nothing is said of the second while the first is under way")
                .allMatch(it -> it.getAttempt() == 1);
        // By its journal: the second, which no leader asks for so soon, may have taken its place
        // in the one slot that a node has.
        assertThat(journal(1).ending().outcome()).isEqualTo(drover.model.AttemptOutcome.SUCCEEDED);
        theProgramIsAnother();
        isWholeWithOneAgent(TWO);
    }

    /** Where an attempt is first spoken of. */
    private int at(long attempt) {
        return control.statuses.stream().map(AttemptStatus::getAttempt).toList().indexOf(attempt);
    }

    private boolean isUnderWay(String action) {
        return control.status(1).getActionsList().stream()
                .anyMatch(it -> it.getName().equals(action) && !it.hasEndedAt());
    }

    @Test
    @DisplayName("C8: the new agent is killed as a standby and after it took over: one stays")
    @Faults(rule = "C8 (a node has at most one executor)", sample = "AgentUpgradeTest.endsAnywhere")
    void theNewAgentIsKilled() throws Exception {
        start("v1.0.0", AgentProcesses.LONG_DEADLINE);
        control.lets = false;
        replace(1, two, TWO);
        await().atMost(LONG).until(() -> standbys() == 1);
        agents.of("v2.0.0").forEach(ProcessHandle::destroyForcibly);
        await().atMost(LONG).until(() -> standbys() == 2); // the old one lets it start again
        control.lets = true;
        assertThat(over(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        agents.endAll();
        agents.start("current", AgentProcesses.LONG_DEADLINE); // as the machine does
        isWholeWithOneAgent(TWO);
    }

    @Test
    @DisplayName("An agent that says no version is unknown, and can be upgraded; then an older one")
    @Faults(
            rule = "S1-32 (an older version is installed the same way)",
            sample = "AgentUpgradeTest.goesToAnOlderVersionThatIsWanted")
    void goesFromNoVersionToAnyAndToAnOlderOne() throws Exception {
        AgentJars.healthy(agents.jar("v0.9.0"), "");
        start("v0.9.0", AgentProcesses.LONG_DEADLINE);
        assertThat(control.agent().getVersion()).isEqualTo("unknown");
        replace(1, two, TWO);
        assertThat(over(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        isWholeWithOneAgent(TWO);
        replace(2, AgentJars.healthy(directory.resolve("older.jar"), "1.5.0"), "1.5.0");
        assertThat(over(2).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        isWholeWithOneAgent("1.5.0");
        assertThat(prune()).startsWith("0: ").contains("Removed: 0.9.0, 1.0.0.");
        assertThat(agents.jar("v1.5.0")).as("not the newest, and it runs").exists();
    }

    @Test
    @DisplayName(
            "While it is replaced, an agent declines other work, and nobody prunes its versions")
    void declinesWhileItIsReplaced() throws Exception {
        start("v1.0.0", AgentProcesses.LONG_DEADLINE);
        control.lets = false;
        replace(1, two, TWO);
        await().atMost(LONG).until(() -> control.status(1).getHandoverReady());
        control.send(upgrade(2, newProgram, "601"));
        await().atMost(LONG).until(() -> isDeclined(2));
        assertThat(prune()).startsWith("1: ").contains("when that is over");
        control.lets = true;
        over(1);
        isWholeWithOneAgent(TWO);
        control.send(upgrade(2, newProgram, "601")); // asked again, it is taken
        assertThat(over(2).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
    }

    private boolean isDeclined(long attempt) {
        return control.heartbeats.stream()
                .map(it -> it.getRejectedCommand())
                .anyMatch(it -> it.getAttempt() == attempt && it.getReason().equals("DRAINING"));
    }

    private String prune() {
        return agents.run("current", "--prune-versions", "1", "--state", state.toString());
    }
}
