package drover.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressTest {
    @ParameterizedTest
    @ValueSource(strings = {"manifests@/home/josé", "two words", "a/b", ""})
    void rejectsNamesThatGrpcCannotPutIntoAUri(String name) {
        assertThatThrownBy(() -> new Address.InProcess(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot name an endpoint inside a process");
    }

    @Test
    void readsWhatItPrints() {
        Address address = new Address.InProcess("gateway-1_a.B");
        assertThat(Address.parse(address.toString())).isEqualTo(address);
    }
}
