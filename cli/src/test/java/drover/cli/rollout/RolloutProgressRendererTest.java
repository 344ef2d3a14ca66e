package drover.cli.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import drover.cli.terminal.Style;
import drover.rollout.v1.NodeUpgradeStatus;
import drover.rollout.v1.RolloutNode;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class RolloutProgressRendererTest {
    @Test
    void showsFailedNodesWithTheirReason() {
        RolloutNode failed =
                RolloutNode.newBuilder()
                        .setNodeId("a-4")
                        .setStatus(NodeUpgradeStatus.NODE_UPGRADE_STATUS_FAILED)
                        .setReason("CHECKSUM_MISMATCH")
                        .setErrorMessage("The artifact\nis not\u001b[2J what was promised.")
                        .build();
        assertThat(view(200).lines(RolloutCommandsTest.aRollout(), List.of(failed)))
                .containsExactly(
                        "Rollout 4f3c2a10-0000-4000-8000-000000000001  celestia-node v0.20.4 →"
                                + " v0.21.0  chain celestia, canary",
                        "paused (FAILURE_THRESHOLD)  batch 2 of 2  [########################] 5/5",
                        "  3 succeeded, 2 failed, 0 pending, 0 skipped, 0 rolled back",
                        "  2 nodes failed, 0 are tolerated. Retry, skip or roll back.",
                        "  NODE  STATUS  PHASE  ACTION  DONE  NOTE",
                        "  a-4   failed  -      -       -     CHECKSUM_MISMATCH: The artifact is not"
                                + " [2J what was promised.");
    }

    @Test
    void cutsLinesAtTheWidthAndCountsTheNodesThatDoNotFit() {
        List<RolloutNode> nodes =
                IntStream.range(0, 20)
                        .mapToObj(
                                i ->
                                        RolloutNode.newBuilder()
                                                .setNodeId("node-" + i)
                                                .setStatus(
                                                        NodeUpgradeStatus
                                                                .NODE_UPGRADE_STATUS_SETTLING)
                                                .build())
                        .toList();
        List<String> lines = view(40).lines(RolloutCommandsTest.aRollout(), nodes);
        assertThat(lines).allMatch(line -> line.length() <= 40).hasSize(4 + 1 + 3 + 1);
        assertThat(lines.getLast()).isEqualTo("  … and 17 more");
    }

    @Test
    void cutsColouredLinesByWhatIsSeen() {
        String line = new Style(true).colorizeByWord("failed", "failed") + " and more";
        assertThat(Style.truncate(line, 8)).isEqualTo("\u001b[31mfailed\u001b[0m …");
        assertThat(Style.truncate(line, 15)).isEqualTo(line);
    }

    @Test
    void hasNoColoursWhereNoneAreWanted() {
        assertThat(view(80).lines(RolloutCommandsTest.aRollout(), List.of()).toString())
                .doesNotContain("\u001b");
        assertThat(
                        new RolloutProgressRenderer(new Style(true), 80, 3)
                                .lines(RolloutCommandsTest.aRollout(), List.of())
                                .toString())
                .contains("\u001b[33mpaused");
    }

    private static RolloutProgressRenderer view(int width) {
        return new RolloutProgressRenderer(new Style(false), width, 3);
    }
}
