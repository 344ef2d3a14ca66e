package drover.coordinator.plan.model;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.NodeId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeOrderTest {
    @ParameterizedTest
    @CsvSource({
        "name, NAME, ''",
        "as-listed, AS_LISTED, ''",
        "label:rack, LABEL, rack",
        "label:a:b, LABEL, a:b"
    })
    void textsAreParsedAndPrinted(String text, NodeOrder.Kind kind, String label) {
        assertThat(NodeOrder.parse(text)).contains(new NodeOrder(kind, label, List.of()));
        assertThat(new NodeOrder(kind, label, List.of()).toText()).isEqualTo(text);
    }

    @Test
    void noTextIsTheDefault() {
        assertThat(NodeOrder.parse("")).contains(NodeOrder.DEFAULT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"label:", "label", "NAME", "as listed", " name", "random"})
    void otherTextsAreRejected(String text) {
        assertThat(NodeOrder.parse(text)).isEmpty();
    }

    @Test
    void onlyTheDefaultOrderLeavesPositionsToTheIds() {
        assertThat(NodeOrder.DEFAULT.isDefault()).isTrue();
        assertThat(NodeOrder.DEFAULT.withLast(List.of(new NodeId("a"))).isDefault()).isFalse();
        assertThat(new NodeOrder(NodeOrder.Kind.LABEL, "rack", List.of()).isDefault()).isFalse();
    }
}
