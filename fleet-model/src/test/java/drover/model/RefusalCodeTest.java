package drover.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RefusalCodeTest {
    @ParameterizedTest
    @CsvSource({
        "EDGE_NOT_ALLOWED, SERVICE_CALL_NOT_ALLOWED",
        "NOT_UNDERSTOOD, UNKNOWN_CONTENT",
        "NODES_NOT_HEARD_SINCE, INVENTORY_STALE",
        "JOIN_TOKEN_SPENT, JOIN_TOKEN_UNUSABLE",
        "AUTHORITY_UNUSABLE, CA_UNUSABLE",
        "ENROLMENT_CLOSED, ENROLLMENT_CLOSED"
    })
    @DisplayName("C15: a stored refusal of an earlier version may have an earlier name")
    void readsEarlierNames(String stored, RefusalCode code) {
        assertThat(RefusalCode.fromStored(stored)).isEqualTo(code);
    }

    @ParameterizedTest
    @EnumSource
    void readsItsOwnNames(RefusalCode code) {
        assertThat(RefusalCode.fromStored(code.name())).isEqualTo(code);
    }

    @Test
    void keepsRefusalsOfLaterVersionsApart() {
        assertThat(RefusalCode.fromStored("MOOD")).isEqualTo(RefusalCode.WRITTEN_BY_LATER_VERSION);
    }
}
