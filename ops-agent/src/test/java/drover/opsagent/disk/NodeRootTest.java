package drover.opsagent.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.NodePath;
import drover.opsagent.policy.LocalPolicy;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A machine of several file systems: one for the listed root, one mounted below it. */
class NodeRootTest {
    private static final NodePath LISTED = new NodePath("/opt/app");
    private final SimulatedDisk files = new SimulatedDisk();
    private final Disk disk =
            new ForwardingDisk(files) {
                @Override
                public DeviceAndLinkCount identity(Path path) {
                    long device = path.startsWith("/opt/app/data") ? 3 : 1;
                    return new DeviceAndLinkCount(
                            path.startsWith("/opt/app") && device == 1 ? 2 : device, 1);
                }
            };
    private final NodeRoot root =
            new NodeRoot(
                    disk,
                    Path.of("/"),
                    new LocalPolicy(
                            true, List.of(LISTED), Set.of("app.service"), Set.of(), Set.of()));

    private void put(String file) {
        files.putDurableFile(Path.of(file), new byte[1], FileAttributes.CONFIG);
    }

    @Test
    @DisplayName("H11: a listed root may be a file system of its own")
    void resolvesBelowARootThatIsMounted() {
        put("/opt/app/bin/app");
        assertThat(root.resolveWritable(new NodePath("/opt/app/bin/app")))
                .isEqualTo(Path.of("/opt/app/bin/app"));
    }

    @Test
    @DisplayName("H11: what is mounted below a listed root is not of it")
    void refusesWhatIsMountedBelowTheRoot() {
        put("/opt/app/data/chain");
        assertThatThrownBy(() -> root.resolveWritable(new NodePath("/opt/app/data/chain")))
                .isInstanceOf(NodeRoot.PathRefused.class)
                .hasMessage(
                        "/opt/app/data/chain lies on another file system than its root: list that"
                                + " root itself.");
    }

    @Test
    @DisplayName("H11: a listed root that is not there is not made")
    void refusesARootThatIsNotThere() {
        assertThatThrownBy(() -> root.resolveWritable(new NodePath("/opt/app/bin/app")))
                .isInstanceOf(NodeRoot.PathRefused.class)
                .hasMessage(
                        "/opt/app/bin/app lies under root /opt/app of this node's policy, which is"
                                + " not there: let the node's owner make it.");
    }

    @Test
    void resolvesAUnitsOwnFile() {
        put("/etc/systemd/system/app.service");
        assertThat(root.resolveWritable(new NodePath("/etc/systemd/system/app.service")))
                .isEqualTo(Path.of("/etc/systemd/system/app.service"));
    }
}
