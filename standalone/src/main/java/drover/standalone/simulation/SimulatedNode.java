package drover.standalone.simulation;

import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.model.NodeId;
import drover.opsagent.NodeCare;
import drover.opsagent.OpsAgentConfig;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.engine.Withdrawal;
import drover.opsagent.peers.BeatPace;
import drover.opsagent.peers.CommandProtos;
import drover.opsagent.peers.ReportProtos;
import drover.opsagent.script.AttemptStatus;
import java.time.Duration;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A node: its machine, and the agents that come and go on it. The agent is the real one; only its
 * stream and its threads are replaced by events.
 */
final class SimulatedNode {
    private static final Duration ROUND = Duration.ofSeconds(3); // of supervision and probes
    private static final Duration AGAIN = Duration.ofSeconds(10); // an unanswered status

    final NodeId id;
    final Machine machine;
    private final World world;
    private @Nullable NodeCare care;
    private @Nullable AgentStream stream;
    private long welcomedAt;
    private BeatPace pace = beginning();
    private long dials;
    private long incarnation;
    private long statusAt;
    private boolean working;
    private boolean inStep;
    private boolean scrapped;

    SimulatedNode(NodeId id, World world) {
        this.id = id;
        this.world = world;
        this.machine = new Machine(id, world);
    }

    boolean isAlive() {
        return care != null;
    }

    /** The agent starts: takes over what runs, takes up an open attempt, dials. */
    void start() {
        if (care != null || scrapped) {
            return;
        }
        incarnation++;
        NodeCare fresh = machine.agent(this::speak);
        care = fresh;
        pace = beginning();
        dials = 0;
        world.time.tell(id + " its agent starts");
        world.observer().restarts(id);
        long mine = incarnation;
        try {
            step(
                    () -> {
                        fresh.open();
                        fresh.recover();
                    });
        } catch (DiskFailure e) {
            world.time.tell(id + " its agent cannot start: " + e.getMessage());
            whenFree(mine, () -> crash(false, AGAIN)); // as its service manager does
            return;
        }
        whenFree(mine, this::dial);
        whenFree(mine, () -> round(mine));
    }

    /** The agent is killed, or the machine loses power; it comes back after some time. */
    void crash(boolean power, Duration away) {
        if (care == null) {
            return;
        }
        world.time.tell(id + (power ? " loses power" : " its agent is killed"));
        care = null;
        incarnation++;
        hangUp();
        machine.crash(power);
        world.time.after(away, this::start);
    }

    /** The machine is taken away and does not come back. */
    void scrap() {
        scrapped = true;
        crash(true, AGAIN);
    }

    boolean isScrapped() {
        return scrapped;
    }

    private void step(Runnable what) {
        inStep = true;
        boolean crashed = false;
        try {
            what.run();
        } catch (Machine.Crashed e) {
            crashed = true;
        } finally {
            inStep = false;
            machine.ticker.worked();
        }
        if (crashed) {
            NodeCare gone = care;
            world.time.at(
                    machine.ticker.busyUntil(),
                    () -> {
                        if (care == gone) {
                            crash(machine.losesPower(), world.chance.between(ROUND, AGAIN));
                        }
                    });
        }
    }

    private void whenFree(long mine, Runnable what) {
        world.time.at(
                machine.ticker.busyUntil(),
                () -> {
                    if (mine != incarnation || machine.isDying()) {
                        return;
                    }
                    if (machine.ticker.isFree()) {
                        what.run();
                    } else {
                        whenFree(mine, what);
                    }
                });
    }

    /** A round of the agent's loops: supervision, probes, heartbeat, a status not answered. */
    private void round(long mine) {
        NodeCare agent = care;
        if (agent == null || mine != incarnation) {
            return;
        }
        step(
                () -> {
                    try {
                        agent.work(); // what a failing disk left undone
                        agent.watch();
                        agent.probe();
                    } catch (DiskFailure e) {
                        world.time.tell(id + " cannot watch its programs: " + e.getMessage());
                    }
                });
        if (!machine.isDying() && machine.ticker.isFree()) {
            speakUp(agent);
        }
        world.time.after(ROUND, () -> whenFree(mine, () -> round(mine)));
    }

    private static BeatPace beginning() {
        return new BeatPace(OpsAgentConfig.HEARTBEAT, OpsAgentConfig.HEARTBEAT);
    }

    private void speakUp(NodeCare agent) {
        AgentStream open = stream;
        if (open == null || !open.isWelcomed()) {
            return;
        }
        long now = world.time.nanos();
        AttemptStatus due = agent.slot().due();
        if (due != null && now >= statusAt) {
            tell(agent, open, due);
        }
        if (agent.takeHealthChanged()) {
            pace.healthChanged(now);
        }
        if (pace.isDue(now)) {
            Duration next = pace.sent(now, agent.slot());
            open.say(
                    ConnectRequest.newBuilder()
                            .setHeartbeat(
                                    ReportProtos.heartbeat(
                                            agent.self(dials), next, machine.ticker.wallClock()))
                            .build());
        }
    }

    /** Called by the agent's slot, in the middle of its work. */
    private void speak() {
        NodeCare agent = care;
        if (agent == null) {
            return;
        }
        AttemptStatus status = agent.slot().current();
        if (status == null || agent.slot().due() == null) {
            return; // the next round says what is new about its programs
        }
        world.observer().published(id, status);
        long mine = incarnation;
        long at = inStep ? machine.ticker.nanos() : world.time.nanos();
        world.time.at(
                at,
                () -> {
                    AgentStream open = stream;
                    if (mine == incarnation && open != null && open.isWelcomed()) {
                        tell(agent, open, status);
                    }
                });
    }

    private void tell(NodeCare agent, AgentStream open, AttemptStatus status) {
        agent.slot().takeAsked();
        boolean whole = status.isTerminal() && machine.ticker.isFree();
        if (status.isTerminal() && !whole) {
            return; // the round after the work says it
        }
        long now = world.time.nanos();
        statusAt = now + AGAIN.toNanos();
        pace.statusSent(now, agent.slot());
        open.say(
                ConnectRequest.newBuilder()
                        .setStatus(
                                whole
                                        ? ReportProtos.ended(status, agent.self(dials))
                                        : ReportProtos.status(status))
                        .build());
    }

    private void dial() {
        NodeCare agent = care;
        if (agent == null || stream != null) {
            return;
        }
        SimulatedGateway gateway = world.chance.one(world.gateways);
        AgentStream fresh = new AgentStream(this, gateway, world);
        stream = fresh;
        pace.opened(world.time.nanos());
        fresh.hello(ReportProtos.hello(agent.self(++dials)));
    }

    /** For how long its present stream has been welcomed; zero while it has none. */
    Duration connectedFor() {
        AgentStream open = stream;
        return open == null || !open.isWelcomed()
                ? Duration.ZERO
                : Duration.ofNanos(world.time.nanos() - welcomedAt);
    }

    /** The stream is over, as far as this side knows. */
    void ended(AgentStream over) {
        if (stream == over) {
            stream = null;
            long mine = incarnation;
            world.time.after(
                    world.chance.between(Duration.ZERO, ROUND.multipliedBy(5)),
                    () -> whenFree(mine, this::dial));
        }
    }

    /** This side breaks the stream; the gateway notices some time later. */
    void hangUp() {
        AgentStream over = stream;
        if (over != null) {
            over.breakOff();
        }
    }

    /** A message of the gateway's. */
    void hear(ConnectResponse message) {
        NodeCare agent = care;
        if (agent == null) {
            return;
        }
        switch (message.getMessageCase()) {
            case WELCOME -> {
                welcomedAt = world.time.nanos();
                agent.welcomed(message.getWelcome().getNodeId());
                pace.told(message.getWelcome());
            }
            case ACK -> {
                world.observer()
                        .acknowledged(
                                id, message.getAck().getAttempt(), message.getAck().getSequence());
                agent.slot()
                        .acknowledge(message.getAck().getAttempt(), message.getAck().getSequence());
            }
            case COMMAND -> deliver(agent, message);
            case WITHDRAW ->
                    agent.withdrawn(
                            new Withdrawal(
                                    message.getWithdraw().getThrough(),
                                    message.getWithdraw().getEpoch()));
            case STOP_AGENT, RECONNECT, MESSAGE_NOT_SET -> {}
        }
        work();
    }

    private void deliver(NodeCare agent, ConnectResponse message) {
        try {
            agent.delivered(CommandProtos.delivery(message.getCommand()));
        } catch (CommandProtos.Unreadable e) {
            world.observer().violated("C15: node " + id + " cannot read what it was sent: " + e);
        }
    }

    private void work() {
        if (working) {
            return; // the work that waits takes everything that has come
        }
        working = true;
        long mine = incarnation;
        world.time.at(machine.ticker.busyUntil(), () -> takeWork(mine));
    }

    private void takeWork(long mine) {
        NodeCare agent = care;
        if (mine == incarnation && !machine.ticker.isFree()) {
            world.time.at(machine.ticker.busyUntil(), () -> takeWork(mine));
            return;
        }
        working = false;
        if (mine == incarnation && agent != null && !machine.isDying()) {
            step(agent::work);
        }
    }

    @Override
    public String toString() {
        NodeCare agent = care;
        AgentStream open = stream;
        return id
                + (agent == null ? " down" : " up")
                + (machine.isDying() ? ", dying" : "")
                + (open == null ? ", not connected" : open.isWelcomed() ? ", connected" : ", dials")
                + ", has "
                + world.products.stream()
                        .map(product -> Product.version(machine.installed(product)))
                        .collect(Collectors.joining(" and "))
                + ", runs "
                + machine.running().size()
                + ", says "
                + (agent == null ? "nothing" : said(agent.slot().current()));
    }

    private static String said(@Nullable AttemptStatus status) {
        return status == null
                ? "nothing"
                : status.journal().attempt()
                        + "/"
                        + status.sequence()
                        + " "
                        + status.journal().ending().outcome();
    }
}
