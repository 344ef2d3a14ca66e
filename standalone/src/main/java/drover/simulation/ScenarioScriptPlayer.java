package drover.simulation;

import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.plan.request.OperatorRequest;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import drover.simulation.rules.SafetyInvariants;
import drover.simulation.world.CreationRequestFactory;
import drover.simulation.world.SimulatedCoordinator;
import drover.simulation.world.SimulatedNode;
import drover.simulation.world.SimulatedOperator;
import drover.simulation.world.SimulatedProgramDefinition;
import drover.simulation.world.SimulatedWorld;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A short script of an operator and a fleet, one step a line, played in virtual time without
 * chance: the transcript of the same script is always the same. A line beginning with {@code #} is
 * for readers and stands in the transcript as it is.
 */
public final class ScenarioScriptPlayer {
    private static final Duration AGENTS_CONNECT = Duration.ofSeconds(10);

    private final StringBuilder transcript = new StringBuilder();
    private final SimulatedWorld world;
    private final SafetyInvariants safety;
    private final GroupScenarioSteps groups;
    private @Nullable RolloutId rollout;

    private ScenarioScriptPlayer(SimulatedWorld.Size size) {
        this.world = new SimulatedWorld(1, size, RolloutTimeouts.STANDARD);
        this.safety = new SafetyInvariants(world);
        world.start(safety);
        this.groups = new GroupScenarioSteps(world);
        world.time.setLogListener(this::appendLine);
        advanceAndCheck(AGENTS_CONNECT);
    }

    /**
     * Plays a script and answers with its transcript. The first line says how many nodes there are:
     * {@code nodes 4}, or {@code app and store on nodes 4} where each has two programs.
     *
     * @throws IllegalArgumentException when a line means nothing
     * @throws IllegalStateException when a rule does not hold
     */
    public static String play(String script) {
        List<String> lines =
                script.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
        int nodes = Integer.parseInt(words(lines.getFirst()).getLast());
        boolean two = lines.getFirst().contains("store");
        List<SimulatedProgramDefinition> products =
                two
                        ? List.of(SimulatedProgramDefinition.values())
                        : List.of(SimulatedProgramDefinition.APP);
        ScenarioScriptPlayer scenario =
                new ScenarioScriptPlayer(new SimulatedWorld.Size(nodes, 1, 2, products));
        lines.stream().skip(1).forEach(scenario::runStep);
        scenario.appendOutcome();
        return scenario.transcript.toString();
    }

    private void appendLine(String line) {
        transcript.append(line.replaceFirst("\\.\\d{3}", "")).append('\n');
    }

    private static List<String> words(String line) {
        return List.of(line.split("\\s+"));
    }

    private void runStep(String line) {
        if (line.startsWith("#")) {
            transcript.append('\n').append(line).append('\n');
            return;
        }
        List<String> words = words(line);
        switch (words.getFirst()) {
            case "create" -> createRollout(words);
            case "rollout" -> rollout = rolloutByNumber(Integer.parseInt(words.get(1)));
            case "group" -> groups.runStep(words);
            case "component" -> rollout = groups.component(Integer.parseInt(words.get(1)));
            case "retire" -> world.retireOnceOffline(world.node(new NodeId(words.get(1))));
            case "clear" ->
                    world.submitNodeRequest(new NodeId(words.get(1)), OperatorNodeRequest.CLEAR);
            case "run" ->
                    advanceAndCheck(Duration.parse("PT" + words.get(1).toUpperCase(Locale.ROOT)));
            case "elect" -> world.elect(Integer.parseInt(words.get(1)) - 1);
            case "coordinator-1", "coordinator-2" ->
                    coordinator(words.getFirst())
                            .freeze(Duration.ofSeconds(Long.parseLong(words.get(2))));
            case "gateway-1" -> crashOrRestartGateway(words.get(1));
            default -> {
                if (words.getFirst().startsWith("node-")) {
                    runNodeStep(words);
                } else {
                    sendRequest(words);
                }
            }
        }
    }

    private SimulatedCoordinator coordinator(String id) {
        return world.coordinators.get(id.endsWith("1") ? 0 : 1);
    }

    private void crashOrRestartGateway(String what) {
        if (what.equals("down")) {
            world.gateways.getFirst().crash();
        } else {
            world.gateways.getFirst().restartIfDown();
        }
    }

    /**
     * For example {@code create canary 1 batch 2 breaking}, or {@code create rolling batch 2 back}
     * where failures bring everything back; to v2, or with {@code to 3} at the end to another.
     */
    private void createRollout(List<String> words) {
        int batch = Integer.parseInt(words.get(words.indexOf("batch") + 1));
        CreationRequestFactory.RolloutChoice wish =
                words.get(1).equals("canary")
                        ? CreationRequestFactory.RolloutChoice.canary(
                                Integer.parseInt(words.get(2)), batch, words.contains("breaking"))
                        : CreationRequestFactory.RolloutChoice.rolling(batch);
        int to = words.contains("to") ? Integer.parseInt(words.getLast()) : 2;
        rollout =
                world.tryCreateRollout(
                        CreationRequestFactory.rolloutRequest(
                                words.contains("back") ? wish.withRollbackOnFailure() : wish, to));
    }

    /** The rollout that was created as the first, the second, and so on: what follows is for it. */
    private RolloutId rolloutByNumber(int number) {
        return world.store.rollouts().get(number - 1).id();
    }

    private void runNodeStep(List<String> words) {
        SimulatedNode node = world.node(new NodeId(words.getFirst()));
        world.time.log(String.join(" ", words));
        switch (String.join(" ", words.subList(1, words.size()))) {
            case "offline" -> {
                world.network.disconnect(node.id.value());
                node.disconnectStream();
            }
            case "online" -> world.network.reconnect(node.id.value());
            case "has bad luck with v2" ->
                    node.machine.setBehavior(
                            SimulatedProgramDefinition.APP, 2, ProgramBehavior.FALLS);
            case "has luck with v2" ->
                    node.machine.setBehavior(
                            SimulatedProgramDefinition.APP, 2, ProgramBehavior.RUNS);
            case "has bad luck with store v2" ->
                    node.machine.setBehavior(
                            SimulatedProgramDefinition.STORE, 2, ProgramBehavior.FALLS);
            case "has luck with store v2" ->
                    node.machine.setBehavior(
                            SimulatedProgramDefinition.STORE, 2, ProgramBehavior.RUNS);
            case "is scrapped" -> node.scrap();
            case "is sick" -> node.machine.setProbesFailing(true);
            case "is well" -> node.machine.setProbesFailing(false);
            case "crashes in the middle" -> node.machine.scheduleCrash(40, true);
            default -> throw new IllegalArgumentException("No such step: " + words);
        }
    }

    private void sendRequest(List<String> words) {
        RolloutId requested = rollout;
        if (requested == null) {
            throw new IllegalArgumentException("Create a rollout before " + words);
        }
        OperatorRequest request =
                switch (words.getFirst()) {
                    case "start" -> new OperatorRequest.Start();
                    case "pause" -> new OperatorRequest.Pause();
                    case "resume" ->
                            new OperatorRequest.Resume(
                                    words.size() > 1 ? Integer.parseInt(words.get(1)) : 0);
                    case "cancel" -> new OperatorRequest.Cancel();
                    case "approve" -> SimulatedOperator.approval(requireRollout(requested));
                    case "rollback" -> new OperatorRequest.Rollback();
                    case "retry" -> new OperatorRequest.RetryNode(new NodeId(words.get(1)));
                    case "skip" -> new OperatorRequest.SkipNode(new NodeId(words.get(1)));
                    case "force" -> new OperatorRequest.Force();
                    case "hold" ->
                            new OperatorRequest.HoldNode(
                                    new NodeId(words.get(1)),
                                    world.time
                                            .now()
                                            .plus(Duration.parse("PT" + durationText(words))));
                    case "release" -> new OperatorRequest.ReleaseNode(new NodeId(words.get(1)));
                    default -> throw new IllegalArgumentException("No such step: " + words);
                };
        world.submitRolloutRequest(
                requested, request, SimulatedOperator.actorFor(requireRollout(requested), request));
    }

    private static String durationText(List<String> words) {
        return words.get(2).toUpperCase(Locale.ROOT);
    }

    private Rollout requireRollout(RolloutId requested) {
        return world.store.rollouts().stream()
                .filter(one -> one.id().equals(requested))
                .findFirst()
                .orElseThrow();
    }

    private void advanceAndCheck(Duration length) {
        long until = world.time.nanos() + length.toNanos();
        while (world.time.runNextEventUntil(until)) {
            List<String> violations = safety.violations();
            if (!violations.isEmpty() || !world.bugs.isEmpty()) {
                throw new IllegalStateException(
                        String.join("; ", violations) + world.bugs + "\n" + transcript);
            }
        }
    }

    private void appendOutcome() {
        transcript.append("\n# In the end\n");
        groups.appendOutcome(transcript);
        for (Rollout one : world.store.rollouts()) {
            String which = one.spec().isInGroup() ? " of " + one.spec().binary() + " " : " ";
            transcript.append("rollout").append(which);
            transcript.append(StateNameFormatter.of(one.state())).append('\n');
            one.nodes().values().forEach(node -> appendOutcome(one, node));
        }
    }

    private static String formatProgramCount(int number) {
        return number + (number == 1 ? " program" : " programs");
    }

    private void appendOutcome(Rollout one, NodeUpgrade node) {
        transcript
                .append("  ")
                .append(node.id())
                .append(' ')
                .append(StateNameFormatter.of(node.state()))
                .append(", has v")
                .append(world.installedVersion(one, node.id()))
                .append(", runs ")
                .append(formatProgramCount(world.node(node.id()).machine.runningPrograms().size()))
                .append('\n');
    }
}
