package drover.opsagent.docker;

import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.docker.SimulatedEngine.ProgramBehavior;
import drover.opsagent.engine.DiskFaultsContract;
import drover.opsagent.journal.AttemptStatus;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The Docker runtime on a failing disk; the engine has a disk of its own, which does not fail. */
class DockerDiskFaultsTest extends DiskFaultsContract {
    @Override
    protected Node node() {
        DockerNode node = DockerNode.running(ProgramBehavior.RUNS);
        DockerNode.Agent agent = node.agent(1).boot();
        return new Node() {
            @Override
            public SimulatedDisk disk() {
                return node.disk;
            }

            @Override
            public void take() {
                agent.processor.process(node.upgrade(1));
            }

            @Override
            public @Nullable AttemptStatus reported() {
                return agent.slot.currentStatus();
            }

            @Override
            public boolean isOld() {
                return node.isOld();
            }

            @Override
            public boolean isNew() {
                return node.isNew();
            }

            @Override
            public List<String> violations() {
                return Stream.concat(
                                node.violations.stream(),
                                node.engine.sharedMountViolations().stream())
                        .toList();
            }
        };
    }
}
