package drover.coordinator.api.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class LabelFilterParserTest {
    @Test
    void theFirstEqualsSignEndsTheKey() {
        assertThat(LabelFilterParser.parse(List.of("zone=north", "var.url=a=b", "empty=")))
                .isEqualTo(Map.of("zone", "north", "var.url", "a=b", "empty", ""));
        assertThat(LabelFilterParser.parse(List.of())).isEmpty();
    }

    static Stream<List<String>> malformed() {
        return Stream.of(
                List.of("zone"),
                List.of("=north"),
                List.of(""),
                List.of("zone=north", "zone=south"),
                IntStream.range(0, 17).mapToObj(n -> "l" + n + "=x").toList());
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void whatIsNoLabelIsRefusedByName(List<String> labels) {
        assertThatThrownBy(() -> LabelFilterParser.parse(labels))
                .isInstanceOfSatisfying(
                        Refused.class,
                        no -> {
                            assertThat(no.code()).isEqualTo(RefusalCode.INVALID_FIELD);
                            assertThat(no.field()).isEqualTo("label");
                        });
    }
}
