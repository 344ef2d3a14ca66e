package drover.coordinator.event;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.event.DeliveryRules.Verdict;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveryRulesTest {
    @Test
    void aWebhookAcceptsWith2xxAndRejectsWith4xxExceptTemporaryOnes() {
        for (int status : IntStream.range(100, 600).toArray()) {
            Verdict expected =
                    status / 100 == 2
                            ? Verdict.ACCEPTED
                            : status / 100 == 4 && !List.of(408, 425, 429).contains(status)
                                    ? Verdict.REJECTED
                                    : Verdict.RETRY;
            assertThat(DeliveryRules.ofHttp(status)).as("%d", status).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @CsvSource({"10054,REJECTED", "10039,RETRY", "10077,RETRY", "10008,RETRY"})
    void jetStreamRejectsOnlyMessagesThatAreTooLarge(int code, Verdict verdict) {
        assertThat(DeliveryRules.ofJetStream(code)).isEqualTo(verdict);
    }

    @ParameterizedTest
    @CsvSource({
        "'',ACCEPTED",
        "'Permissions Violation for Publish to \"events.node.a.x\"',REJECTED",
        "'Permissions Violation for Subscription to \"x\"',RETRY",
        "'Authorization Violation',RETRY",
        "'Stale Connection',RETRY"
    })
    void anErrorOfANatsServerRejectsOnlyIfTheSubjectIsNotAllowed(String error, Verdict verdict) {
        assertThat(DeliveryRules.ofNatsError(error)).isEqualTo(verdict);
    }

    @Test
    void anEventIsRejectedIfItIsLargerThanTheServerAccepts() {
        assertThat(DeliveryRules.ofSize(1_000, 1_000)).isEqualTo(Verdict.ACCEPTED);
        assertThat(DeliveryRules.ofSize(1_001, 1_000)).isEqualTo(Verdict.REJECTED);
        assertThat(DeliveryRules.ofSize(1_001, 0)).as("unknown").isEqualTo(Verdict.ACCEPTED);
    }
}
