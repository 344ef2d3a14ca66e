package drover.opsagent;

import drover.agent.v1.Command;
import drover.opsagent.adopt.NodeLayout;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.engine.Delivery;
import drover.opsagent.engine.NodePicture;
import drover.opsagent.engine.Rehearsal;
import drover.opsagent.peers.CommandProtos;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.RuntimePorts;
import drover.opsagent.store.StateDirectory;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/** A real node whose agent is not there, so that its runtime alone can be tried on it. */
record RehearsedNode(OpsAgent.Parts parts, StateDirectory state, NodeRuntime runtime) {
    private static final Duration SETTLE = Duration.ofMillis(150);

    /** With the runtime of this name. */
    static RehearsedNode open(String runtime, OpsAgent.Parts parts, NodeLayout layout) {
        StateDirectory state =
                new StateDirectory(
                        layout.stateDirectory(),
                        new DurableFiles(parts.disk(), new SecureRandom()));
        RuntimePorts ports =
                new RuntimePorts(
                        state,
                        layout.root(),
                        parts.fetcher(),
                        parts.processes(),
                        parts.ticker(),
                        SETTLE);
        return new RehearsedNode(parts, state, parts.runtimes().open(runtime, ports));
    }

    /** Rehearses what a leader would send, on the programs that the node has. */
    Rehearsal rehearsal(LongFunction<Command> upgrade, Supplier<NodePicture> picture) {
        state.profile().programs().forEach(program -> runtime.adopt(program.spec().name()));
        return new Rehearsal(
                new Rehearsal.Node(
                        runtime,
                        state,
                        parts.ticker(),
                        attempt -> read(upgrade.apply(attempt)),
                        picture));
    }

    private static Delivery read(Command command) {
        try {
            return CommandProtos.delivery(command);
        } catch (CommandProtos.Unreadable e) {
            throw new IllegalStateException(e);
        }
    }
}
