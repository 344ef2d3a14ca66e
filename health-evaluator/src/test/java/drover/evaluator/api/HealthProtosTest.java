package drover.evaluator.api;

import static org.assertj.core.api.Assertions.assertThat;

import drover.evaluator.assess.HealthFindingCode;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class HealthProtosTest {
    @Test
    void theContractHasExactlyTheCodesOfTheDecisionPackage() {
        List<drover.health.v1.FindingCode> rendered =
                Arrays.stream(HealthFindingCode.values()).map(HealthProtos::toFindingCode).toList();

        assertThat(drover.health.v1.FindingCode.values())
                .hasSize(rendered.size() + 2) // UNSPECIFIED and UNRECOGNIZED
                .containsAll(rendered);
    }
}
