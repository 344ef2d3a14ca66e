package drover.kit.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class PathTemplateTest {
    private static final PathTemplate NODE =
            PathTemplate.parse("/api/v1/rollouts/{id}/nodes/{node}");

    @Test
    void capturesDecodedSegments() {
        assertThat(NODE.match("/api/v1/rollouts/r%2F1/nodes/a+b%20c"))
                .contains(Map.of("id", "r/1", "node", "a+b c"));
    }

    @Test
    void takesNeitherEmptyNorMissingNorBrokenSegments() {
        assertThat(NODE.match("/api/v1/rollouts//nodes/a")).isEmpty();
        assertThat(NODE.match("/api/v1/rollouts/r/nodes")).isEmpty();
        assertThat(NODE.match("/api/v1/rollouts/r/nodes/a/")).isEmpty();
        assertThat(NODE.match("/api/v1/rollouts/r/nodes/%zz")).isEmpty();
    }

    @Test
    void sortsLiteralsBeforeCaptures() {
        assertThat(PathTemplate.parse("/manifests/validate"))
                .isLessThan(PathTemplate.parse("/manifests/{id}"));
    }

    @Test
    void refusesFormsTheContractsDoNotUse() {
        assertThatThrownBy(() -> PathTemplate.parse("/v1/{name=shelves/*}"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
