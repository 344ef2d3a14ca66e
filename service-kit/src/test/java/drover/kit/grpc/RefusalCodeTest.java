package drover.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import drover.error.v1.ErrorReason;
import drover.model.RefusalCode;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class RefusalCodeTest {
    private static final String PREFIX = "ERROR_REASON_";

    @Test
    void refusalCodesAreExactlyTheReasonsOfTheContract() {
        assertThat(Stream.of(RefusalCode.values()).map(RefusalCode::name))
                .containsExactlyElementsOf(
                        ErrorReason.getDescriptor().getValues().stream()
                                .filter(value -> value.getNumber() != 0)
                                .map(value -> value.getName().substring(PREFIX.length()))
                                .toList());
    }
}
