package drover.coordinator.plan;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.step.Effect;
import drover.coordinator.plan.step.Step;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A fleet of agents that behave at random, in virtual time. Each agent keeps a journal of one
 * attempt, as the real one does: higher is new work, equal is answered, lower is refused (rule R1).
 * Knows what truly runs, so that a test can compare it with what the planner believes.
 */
final class RandomFleet {
    final ScriptedFleet view = new ScriptedFleet();
    private final Map<NodeId, Agent> agents = new LinkedHashMap<>();
    private final Random random;
    private final Random health; // of what heartbeats report
    private boolean faults = true;

    RandomFleet(Random random, Random health, Iterable<NodeId> nodes) {
        this.random = random;
        this.health = health;
        for (NodeId node : nodes) {
            agents.put(node, new Agent(node));
            seen(node);
        }
    }

    /** An agent with its journal and its program. */
    private static final class Agent {
        final NodeId node;
        long floor;
        long sequence;
        boolean upgraded;
        boolean restoring;
        boolean working;
        boolean healthy = true;
        boolean connected = true;
        boolean stuck;
        boolean critical; // as heartbeats report it, whatever attempt runs
        boolean unprobed;
        Instant levelSince = Instant.EPOCH;
        @Nullable AttemptStatus last;

        Agent(NodeId node) {
            this.node = node;
        }
    }

    /** From now on everything works and everybody is connected. */
    void calm(Instant now) {
        faults = false;
        view.health = true;
        view.completeSince = now;
        view.visibilityLostAt = null;
        for (Agent agent : agents.values()) {
            agent.connected = true;
            agent.stuck = false;
            agent.critical = false;
            agent.unprobed = false;
            seen(agent.node);
        }
    }

    private boolean chance(int percent) {
        return faults && random.nextInt(100) < percent;
    }

    /** Time passes: agents work, are lost, come back; sight and health come and go. */
    void live(Instant now) {
        if (chance(2)) {
            boolean withoutVisibility = view.completeSince != null;
            view.completeSince = withoutVisibility ? null : now;
            view.visibilityLostAt = withoutVisibility ? now : null;
        }
        if (chance(2)) {
            view.health = !view.health;
            view.healthSince = now;
            view.verdicts.clear();
        }
        agents.values().forEach(agent -> live(agent, now));
    }

    private void live(Agent agent, Instant now) {
        if (chance(3)) {
            agent.connected = !agent.connected;
            if (!agent.connected) {
                view.disconnect(agent.node, now);
            }
        }
        if (chance(1)) {
            agent.stuck = !agent.stuck;
        }
        if (faults && health.nextInt(200) == 0) {
            agent.critical = !agent.critical;
            agent.levelSince = now;
        }
        if (faults && health.nextInt(200) == 0) {
            agent.unprobed = !agent.unprobed;
            agent.levelSince = now;
        }
        if (agent.working && !agent.stuck && random.nextInt(3) == 0) {
            finish(agent);
        }
        if (agent.connected) {
            seen(agent.node);
            judge(agent);
        }
    }

    private void judge(Agent agent) {
        AttemptStatus last = agent.last;
        if (!view.health || last == null || agent.working || chance(60)) {
            return;
        }
        if (chance(10)) {
            agent.healthy = !agent.healthy;
        } else if (!faults) {
            agent.healthy = true;
        }
        if (agent.healthy) {
            view.healthy(agent.node, last.attempt());
        } else {
            view.unhealthy(agent.node, last.attempt());
        }
    }

    private void finish(Agent agent) {
        agent.working = false;
        if (agent.restoring) {
            boolean back = !chance(5);
            agent.upgraded = agent.upgraded && !back;
            send(agent, back ? AttemptOutcome.RESTORED : AttemptOutcome.FAILED_ROLLBACK);
        } else if (chance(15)) {
            send(agent, AttemptOutcome.FAILED);
        } else if (chance(3)) {
            send(agent, AttemptOutcome.FAILED_ROLLBACK);
        } else {
            agent.upgraded = true;
            agent.healthy = !chance(20);
            send(agent, AttemptOutcome.SUCCEEDED);
        }
    }

    /** The leader's messages; some are lost, which the leader must repair by asking again. */
    void receive(Step step) {
        List<Effect> ordered = new ArrayList<>(step.effects());
        ordered.sort(Comparator.comparing(Effect::toString)); // the same seed, the same story
        for (Effect effect : ordered) {
            Agent agent = agent(effect.node());
            if (!agent.connected || chance(20)) {
                continue;
            }
            switch (effect) {
                case Effect.Command command -> command(agent, command, step);
                case Effect.Withdraw withdraw -> withdraw(agent, withdraw);
                case Effect.StopOldAgent stop ->
                        throw new AssertionError("Nobody hands over: " + stop);
                case Effect.Acknowledge acknowledge -> {}
                case Effect.Watch watch -> {}
                case Effect.SwitchHealthEvaluator elsewhere -> {}
            }
        }
    }

    private void command(Agent agent, Effect.Command command, Step step) {
        if (command.attempt() <= agent.floor) {
            report(agent); // answered with the journal, or refused: nothing is done twice
            return;
        }
        if (agent.working) {
            throw new AssertionError(
                    "A4, C5: node " + agent.node + " was sent " + command + " while at work");
        }
        NodeState state = upgrade(step.next(), agent.node).state();
        agent.floor = command.attempt();
        agent.restoring = restores(state);
        if (chance(3)) {
            refuse(agent);
            return;
        }
        agent.working = true;
        send(agent, AttemptOutcome.IN_PROGRESS);
    }

    private static boolean restores(NodeState state) {
        return state instanceof NodeState.Restoring
                || (state instanceof NodeState.Unreachable removed && removed.restoreOf() != 0);
    }

    private void refuse(Agent agent) {
        String reason = random.nextBoolean() ? "DRIFTED" : "NO_SPACE";
        send(agent, AttemptOutcome.REFUSED, reason);
    }

    private void withdraw(Agent agent, Effect.Withdraw withdraw) {
        if (withdraw.through() <= agent.floor || agent.working) {
            report(agent);
            return;
        }
        agent.floor = withdraw.through();
        agent.restoring = false;
        send(agent, AttemptOutcome.WITHDRAWN);
    }

    private void send(Agent agent, AttemptOutcome outcome) {
        send(agent, outcome, "");
    }

    private void send(Agent agent, AttemptOutcome outcome, String reason) {
        agent.sequence++;
        agent.last =
                new AttemptStatus(
                        agent.floor,
                        agent.sequence,
                        outcome,
                        null,
                        "",
                        0,
                        reason,
                        "",
                        digest(agent),
                        config(agent),
                        "run-" + agent.floor);
        report(agent);
    }

    private void report(Agent agent) {
        AttemptStatus last = agent.last;
        if (agent.connected && last != null) {
            view.reports.put(agent.node, last);
            seen(agent.node);
        }
    }

    private void seen(NodeId node) {
        Agent agent = agent(node);
        if (agent.connected) {
            view.connect(node, digest(agent), config(agent));
            view.reports(node, level(agent), agent.levelSince);
            AttemptStatus last = agent.last;
            if (last != null) {
                view.reports.put(node, last); // Hello carries the same message (rule R2)
            }
        }
    }

    private static NodeView.ProgramHealth.Level level(Agent agent) {
        if (agent.critical) {
            return NodeView.ProgramHealth.Level.CRITICAL;
        }
        return agent.unprobed
                ? NodeView.ProgramHealth.Level.UNKNOWN
                : NodeView.ProgramHealth.Level.HEALTHY;
    }

    private static String digest(Agent agent) {
        return (agent.upgraded ? SampleRollout.NEW : SampleRollout.OLD).value();
    }

    private static String config(Agent agent) {
        return (agent.upgraded ? SampleRollout.NEW_CONFIG : SampleRollout.OLD_CONFIG).value();
    }

    /** What truly runs on the node: whether the target is installed. */
    boolean isUpgraded(NodeId node) {
        return agent(node).upgraded;
    }

    boolean isWorking(NodeId node) {
        return agent(node).working;
    }

    void commit(RolloutId rollout, Step step) {
        view.commit(rollout, step);
    }

    /** Nodes in the order of their names, for choosing one by the seed. */
    List<NodeId> nodes() {
        List<NodeId> nodes = new ArrayList<>(agents.keySet());
        nodes.sort(null);
        return nodes;
    }

    static Duration tickAfter(Random random) {
        return Duration.ofSeconds(1L + random.nextInt(20));
    }

    private Agent agent(NodeId node) {
        Agent agent = agents.get(node);
        if (agent == null) {
            throw new IllegalArgumentException("No such node " + node);
        }
        return agent;
    }

    private static NodeUpgrade upgrade(Rollout rollout, NodeId node) {
        NodeUpgrade upgrade = rollout.nodes().get(node);
        if (upgrade == null) {
            throw new IllegalArgumentException("No such node " + node);
        }
        return upgrade;
    }
}
