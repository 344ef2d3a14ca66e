package drover.opsagent.main;

import drover.agent.v1.Command;
import drover.opsagent.adopt.StateDirectoryAndRoot;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.engine.CommandWithContents;
import drover.opsagent.engine.IdempotencyCheck;
import drover.opsagent.engine.NodeSnapshot;
import drover.opsagent.peers.CommandProtos;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.store.StateDirectory;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/** A real node whose agent is not there, so that its runtime alone can be tried on it. */
public record RuntimeTestNode(
        OpsAgent.Dependencies parts, StateDirectory state, NodeRuntime runtime) {
    private static final Duration SETTLE = Duration.ofMillis(150);

    /** With the runtime of this name. */
    public static RuntimeTestNode open(
            String runtime, OpsAgent.Dependencies parts, StateDirectoryAndRoot layout) {
        StateDirectory state =
                new StateDirectory(
                        layout.stateDirectory(),
                        new DurableFiles(parts.disk(), new SecureRandom()));
        RuntimeContext ports =
                new RuntimeContext(
                        state,
                        layout.root(),
                        parts.fetcher(),
                        parts.processes(),
                        parts.ticker(),
                        SETTLE);
        return new RuntimeTestNode(parts, state, parts.runtimes().open(runtime, ports));
    }

    /** Rehearses what a leader would send, on the programs that the node has. */
    public IdempotencyCheck idempotencyCheck(
            LongFunction<Command> upgrade, Supplier<NodeSnapshot> picture) {
        state.loadProfile().programs().forEach(program -> runtime.adopt(program.spec().name()));
        return new IdempotencyCheck(
                new IdempotencyCheck.Node(
                        runtime,
                        state,
                        parts.ticker(),
                        attempt -> read(upgrade.apply(attempt)),
                        picture));
    }

    private static CommandWithContents read(Command command) {
        try {
            return CommandProtos.toReceivedCommand(command);
        } catch (CommandProtos.UnreadableCommand e) {
            throw new IllegalStateException(e);
        }
    }
}
