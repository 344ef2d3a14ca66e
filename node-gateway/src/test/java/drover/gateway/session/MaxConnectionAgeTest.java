package drover.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MaxConnectionAgeTest {
    private static final MaxConnectionAge AGE = new MaxConnectionAge(Duration.ofMinutes(45));

    @Test
    void agentsReconnectOneByOneBeforeTheTransportLimit() {
        Random random = new Random(7);
        assertThat(Stream.generate(() -> AGE.randomReconnectDelay(random)).limit(10_000))
                .allSatisfy(
                        requested ->
                                assertThat(requested)
                                        .isBetween(
                                                Duration.ofMinutes(36),
                                                // the transport's tenth is taken off its age
                                                Duration.ofMinutes(45)
                                                        .multipliedBy(9)
                                                        .dividedBy(10)))
                .anySatisfy(requested -> assertThat(requested).isLessThan(Duration.ofMinutes(37)))
                .anySatisfy(
                        requested -> assertThat(requested).isGreaterThan(Duration.ofMinutes(40)));
    }
}
