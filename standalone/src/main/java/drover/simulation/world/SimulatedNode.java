package drover.simulation.world;

import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.model.NodeId;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.engine.Withdrawal;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.main.AgentCore;
import drover.opsagent.main.OpsAgentConfig;
import drover.opsagent.peers.CommandProtos;
import drover.opsagent.peers.HeartbeatSchedule;
import drover.opsagent.peers.ReportProtos;
import java.time.Duration;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A node: its machine, and the agents that come and go on it. The agent is the real one; only its
 * stream and its threads are replaced by events.
 */
public final class SimulatedNode {
    private static final Duration ROUND = Duration.ofSeconds(3); // of supervision and probes
    private static final Duration RETRY_INTERVAL = Duration.ofSeconds(10); // an unanswered status

    public final NodeId id;
    public final SimulatedMachine machine;
    private final SimulatedWorld world;
    private @Nullable AgentCore core;
    private @Nullable SimulatedAgentStream stream;
    private long welcomedAt;
    private long disconnectedAt;
    private HeartbeatSchedule heartbeatInterval = newHeartbeatSchedule();
    private long connections;
    private long incarnation;
    private long statusAt;
    private boolean working;
    private boolean inStep;
    private boolean scrapped;

    SimulatedNode(NodeId id, SimulatedWorld world) {
        this.id = id;
        this.world = world;
        this.machine = new SimulatedMachine(id, world);
    }

    boolean isAlive() {
        return core != null;
    }

    /** The agent starts: takes over what runs, takes up an open attempt, dials. */
    void start() {
        if (core != null || scrapped) {
            return;
        }
        incarnation++;
        AgentCore fresh = machine.newAgent(this::onStatusChanged);
        core = fresh;
        heartbeatInterval = newHeartbeatSchedule();
        connections = 0;
        world.time.log(id + " its agent starts");
        world.observer().agentStarted(id);
        long mine = incarnation;
        try {
            step(
                    () -> {
                        fresh.startIncarnation();
                        fresh.recoverOpenAttempt();
                    });
        } catch (DiskFailure e) {
            world.time.log(id + " its agent cannot start: " + e.getMessage());
            whenFree(mine, () -> crash(false, RETRY_INTERVAL)); // as its service manager does
            return;
        }
        whenFree(mine, this::connect);
        whenFree(mine, () -> runRound(mine));
    }

    /** The agent is killed, or the machine loses power; it comes back after some time. */
    public void crash(boolean power, Duration downtime) {
        if (core == null) {
            return;
        }
        world.time.log(id + (power ? " loses power" : " its agent is killed"));
        core = null;
        incarnation++;
        disconnectStream();
        machine.crash(power);
        world.time.scheduleAfter(downtime, this::start);
    }

    /** The machine is taken away and does not come back. */
    public void scrap() {
        scrapped = true;
        crash(true, RETRY_INTERVAL);
    }

    public boolean isScrapped() {
        return scrapped;
    }

    private void step(Runnable what) {
        inStep = true;
        boolean crashed = false;
        try {
            what.run();
        } catch (SimulatedMachine.SimulatedCrash e) {
            crashed = true;
        } finally {
            inStep = false;
            machine.ticker.endStep();
        }
        if (crashed) {
            AgentCore removed = core;
            world.time.scheduleAt(
                    machine.ticker.busyUntilNanos(),
                    () -> {
                        if (core == removed) {
                            crash(
                                    machine.crashLosesPower(),
                                    world.random.between(ROUND, RETRY_INTERVAL));
                        }
                    });
        }
    }

    private void whenFree(long mine, Runnable what) {
        world.time.scheduleAt(
                machine.ticker.busyUntilNanos(),
                () -> {
                    if (mine != incarnation || machine.isDying()) {
                        return;
                    }
                    if (machine.ticker.hasWorldCaughtUp()) {
                        what.run();
                    } else {
                        whenFree(mine, what);
                    }
                });
    }

    /** A round of the agent's loops: supervision, probes, heartbeat, a status not answered. */
    private void runRound(long mine) {
        AgentCore agent = core;
        if (agent == null || mine != incarnation) {
            return;
        }
        step(
                () -> {
                    try {
                        agent.processPending(); // what a failing disk left undone
                        agent.supervisePrograms();
                        agent.runDueProbes();
                    } catch (DiskFailure e) {
                        world.time.log(id + " cannot watch its programs: " + e.getMessage());
                    }
                });
        if (!machine.isDying() && machine.ticker.hasWorldCaughtUp()) {
            sendDue(agent);
        }
        world.time.scheduleAfter(ROUND, () -> whenFree(mine, () -> runRound(mine)));
    }

    private static HeartbeatSchedule newHeartbeatSchedule() {
        return new HeartbeatSchedule(OpsAgentConfig.HEARTBEAT, OpsAgentConfig.HEARTBEAT);
    }

    private void sendDue(AgentCore agent) {
        SimulatedAgentStream open = stream;
        if (open == null || !open.isWelcomed()) {
            return;
        }
        long now = world.time.nanos();
        AttemptStatus due = agent.statusSlot().findUnacknowledgedOrRequested();
        if (due != null && now >= statusAt) {
            sendStatus(agent, open, due);
        }
        if (agent.takeHealthChanged()) {
            heartbeatInterval.onHealthChanged(now);
        }
        if (heartbeatInterval.isDue(now)) {
            Duration next = heartbeatInterval.onHeartbeatSent(now, agent.statusSlot());
            open.sendFromAgent(
                    ConnectRequest.newBuilder()
                            .setHeartbeat(
                                    ReportProtos.toHeartbeat(
                                            agent.buildReport(connections),
                                            next,
                                            machine.ticker.wallClock()))
                            .build());
        }
    }

    /** Called by the agent's slot, in the middle of its work. */
    private void onStatusChanged() {
        AgentCore agent = core;
        if (agent == null) {
            return;
        }
        AttemptStatus status = agent.statusSlot().currentStatus();
        if (status == null || agent.statusSlot().findUnacknowledgedOrRequested() == null) {
            return; // the next round says what is new about its programs
        }
        world.observer().statusPublished(id, status);
        long mine = incarnation;
        long at = inStep ? machine.ticker.nanos() : world.time.nanos();
        world.time.scheduleAt(
                at,
                () -> {
                    SimulatedAgentStream open = stream;
                    if (mine == incarnation && open != null && open.isWelcomed()) {
                        sendStatus(agent, open, status);
                    }
                });
    }

    private void sendStatus(AgentCore agent, SimulatedAgentStream open, AttemptStatus status) {
        agent.statusSlot().takeResendRequest();
        boolean whole = status.isTerminal() && machine.ticker.hasWorldCaughtUp();
        if (status.isTerminal() && !whole) {
            return; // the round after the work says it
        }
        long now = world.time.nanos();
        statusAt = now + RETRY_INTERVAL.toNanos();
        heartbeatInterval.onStatusSent(now, agent.statusSlot());
        open.sendFromAgent(
                ConnectRequest.newBuilder()
                        .setStatus(
                                whole
                                        ? ReportProtos.toEndedStatus(
                                                status, agent.buildReport(connections))
                                        : ReportProtos.toStatus(status))
                        .build());
    }

    private void connect() {
        AgentCore agent = core;
        if (agent == null || stream != null) {
            return;
        }
        SimulatedGateway gateway = world.random.pickOne(world.gateways);
        SimulatedAgentStream fresh = new SimulatedAgentStream(this, gateway, world);
        stream = fresh;
        heartbeatInterval.onStreamOpened(world.time.nanos());
        fresh.sendHello(ReportProtos.toHello(agent.buildReport(++connections)));
    }

    /** For how long its present stream has been welcomed; zero while it has none. */
    public Duration connectedFor() {
        SimulatedAgentStream open = stream;
        return open == null || !open.isWelcomed()
                ? Duration.ZERO
                : Duration.ofNanos(world.time.nanos() - welcomedAt);
    }

    /** For how long it has had no welcomed stream; zero while it has one. */
    public Duration disconnectedFor() {
        SimulatedAgentStream open = stream;
        return open != null && open.isWelcomed()
                ? Duration.ZERO
                : Duration.ofNanos(world.time.nanos() - disconnectedAt);
    }

    /** The stream is over, as far as this side knows. */
    void onStreamClosed(SimulatedAgentStream over) {
        if (stream == over) {
            if (welcomedAt > disconnectedAt) {
                disconnectedAt = world.time.nanos(); // other streams were never welcomed
            }
            stream = null;
            long mine = incarnation;
            world.time.scheduleAfter(
                    world.random.between(Duration.ZERO, ROUND.multipliedBy(5)),
                    () -> whenFree(mine, this::connect));
        }
    }

    /** This side breaks the stream; the gateway notices some time later. */
    public void disconnectStream() {
        SimulatedAgentStream over = stream;
        if (over != null) {
            over.breakFromAgentSide();
        }
    }

    /** A message of the gateway's. */
    void onMessage(ConnectResponse message) {
        AgentCore agent = core;
        if (agent == null) {
            return;
        }
        switch (message.getMessageCase()) {
            case WELCOME -> {
                welcomedAt = world.time.nanos();
                agent.onWelcome(message.getWelcome().getNodeId());
                heartbeatInterval.setIntervals(message.getWelcome());
            }
            case ACK -> {
                world.observer()
                        .acknowledgementReceived(
                                id, message.getAck().getAttempt(), message.getAck().getSequence());
                agent.statusSlot()
                        .acknowledge(message.getAck().getAttempt(), message.getAck().getSequence());
            }
            case COMMAND -> deliverCommand(agent, message);
            case WITHDRAW ->
                    agent.onWithdrawal(
                            new Withdrawal(
                                    message.getWithdraw().getThroughAttempt(),
                                    message.getWithdraw().getEpoch()));
            case STOP_AGENT, RECONNECT, READ_LOG, MESSAGE_NOT_SET -> {}
        }
        scheduleWork();
    }

    private void deliverCommand(AgentCore agent, ConnectResponse message) {
        try {
            agent.onCommand(CommandProtos.toReceivedCommand(message.getCommand()));
        } catch (CommandProtos.UnreadableCommand e) {
            world.observer()
                    .violationFound("C15: node " + id + " cannot read what it was sent: " + e);
        }
    }

    private void scheduleWork() {
        if (working) {
            return; // the work that waits takes everything that has come
        }
        working = true;
        long mine = incarnation;
        world.time.scheduleAt(machine.ticker.busyUntilNanos(), () -> processPending(mine));
    }

    private void processPending(long mine) {
        AgentCore agent = core;
        if (mine == incarnation && !machine.ticker.hasWorldCaughtUp()) {
            world.time.scheduleAt(machine.ticker.busyUntilNanos(), () -> processPending(mine));
            return;
        }
        working = false;
        if (mine == incarnation && agent != null && !machine.isDying()) {
            step(agent::processPending);
        }
    }

    @Override
    public String toString() {
        AgentCore agent = core;
        SimulatedAgentStream open = stream;
        return id
                + (agent == null ? " down" : " up")
                + (machine.isDying() ? ", dying" : "")
                + (open == null ? ", not connected" : open.isWelcomed() ? ", connected" : ", dials")
                + ", has "
                + world.products.stream()
                        .map(
                                product ->
                                        SimulatedProgramDefinition.version(
                                                machine.installedVersion(product)))
                        .collect(Collectors.joining(" and "))
                + ", runs "
                + machine.runningPrograms().size()
                + ", says "
                + (agent == null ? "nothing" : describeStatus(agent.statusSlot().currentStatus()));
    }

    private static String describeStatus(@Nullable AttemptStatus status) {
        return status == null
                ? "nothing"
                : status.journal().attempt()
                        + "/"
                        + status.sequence()
                        + " "
                        + status.journal().ending().outcome();
    }
}
