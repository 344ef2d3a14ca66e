package drover.coordinator.event;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.event.DeliveryRules.DeliveryDecision;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveryRulesTest {
    @Test
    void aWebhookAcceptsWith2xxAndRejectsWith4xxExceptTemporaryOnes() {
        for (int status : IntStream.range(100, 600).toArray()) {
            DeliveryDecision expected =
                    status / 100 == 2
                            ? DeliveryDecision.ACCEPTED
                            : status / 100 == 4 && !List.of(408, 425, 429).contains(status)
                                    ? DeliveryDecision.REJECTED
                                    : DeliveryDecision.RETRY;
            assertThat(DeliveryRules.classifyHttpStatus(status))
                    .as("%d", status)
                    .isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @CsvSource({"10054,REJECTED", "10039,RETRY", "10077,RETRY", "10008,RETRY"})
    void jetStreamRejectsOnlyMessagesThatAreTooLarge(int code, DeliveryDecision verdict) {
        assertThat(DeliveryRules.classifyJetStreamError(code)).isEqualTo(verdict);
    }

    @ParameterizedTest
    @CsvSource({
        "'',ACCEPTED",
        "'Permissions Violation for Publish to \"events.node.a.x\"',REJECTED",
        "'Permissions Violation for Subscription to \"x\"',RETRY",
        "'Authorization Violation',RETRY",
        "'Stale Connection',RETRY"
    })
    void anErrorOfANatsServerRejectsOnlyIfTheSubjectIsNotAllowed(
            String error, DeliveryDecision verdict) {
        assertThat(DeliveryRules.classifyNatsError(error)).isEqualTo(verdict);
    }

    @Test
    void anEventIsRejectedIfItIsLargerThanTheServerAccepts() {
        assertThat(DeliveryRules.classifySize(1_000, 1_000)).isEqualTo(DeliveryDecision.ACCEPTED);
        assertThat(DeliveryRules.classifySize(1_001, 1_000)).isEqualTo(DeliveryDecision.REJECTED);
        assertThat(DeliveryRules.classifySize(1_001, 0))
                .as("unknown")
                .isEqualTo(DeliveryDecision.ACCEPTED);
    }
}
