package drover.coordinator;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.kit.grpc.Address;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RolloutCoordinatorConfigTest {
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:9090,   127.0.0.1",
        "127.8.0.1:9090,   localhost",
        "localhost:9090,   127.0.0.1",
        "in-process:door,  127.0.0.1"
    })
    void loopbackNeedsNoKey(String address, String http) {
        assertThatCode(() -> config(address, http)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0:9090,          127.0.0.1",
        "127.0.0.1:9090,        0.0.0.0",
        "192.0.2.1:9090,        127.0.0.1",
        "127.0.0.1:9090,        example.test",
        "127.0.0.1.example:1,   127.0.0.1",
        "[::]:9090,             127.0.0.1"
    })
    void insecureIsRefusedWhereTheNetworkCanCall(String address, String http) {
        assertThatThrownBy(() -> config(address, http))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "--insecure is for doors on this machine alone: listen on 127.0.0.1, or"
                                + " let callers bring keys.");
    }

    private static RolloutCoordinatorConfig config(String address, String http) {
        return new RolloutCoordinatorConfig(
                "r",
                Address.parse(address),
                new Address.Tcp(http, 8080),
                Address.parse("in-process:manifests"),
                Address.parse("in-process:health"),
                RolloutTimeouts.STANDARD,
                OperatorAccessConfig.withoutAuthentication());
    }
}
