package drover.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import drover.manifest.v1.ConfigChange;
import drover.manifest.v1.MigrationType;
import drover.model.RefusalCode;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.Strategy;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a later version says, seen by this one. */
@DisplayName("C15: a message of which a part is not known is refused, and says which part")
final class UnknownFieldsTest {
    private static final UnknownFieldSet STRANGER =
            UnknownFieldSet.newBuilder()
                    .addField(900, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                    .build();

    @Test
    void takesWhatIsKnown() {
        CreateRolloutRequest known =
                CreateRolloutRequest.newBuilder()
                        .setChainProfileId("celestia")
                        .setStrategy(Strategy.STRATEGY_CANARY)
                        .putNodeSelector("zone", "a")
                        .build();
        assertThat(UnknownFieldCheck.requireKnown(known)).isSameAs(known);
    }

    @Test
    void refusesAFieldThatIsNotKnown() {
        refused(
                CreateRolloutRequest.newBuilder().setUnknownFields(STRANGER).build(),
                "field 900 of CreateRolloutRequest");
    }

    @Test
    void refusesAValueThatIsNotKnown() {
        refused(CreateRolloutRequest.newBuilder().setStrategyValue(77).build(), "77 as strategy");
        refused(
                CreateRolloutRequest.newBuilder().setMigrationTypeValue(99).build(),
                "99 as migration_type");
        assertThat(MigrationType.forNumber(99)).isNull();
    }

    @Test
    void checksMessagesWithinAMessage() {
        refused(
                CreateRolloutRequest.newBuilder()
                        .addConfigChanges(ConfigChange.newBuilder().setUnknownFields(STRANGER))
                        .build(),
                "field 900 of config_changes");
    }

    private static void refused(Message message, String what) {
        assertThatThrownBy(() -> UnknownFieldCheck.requireKnown(message))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused ->
                                assertThat(refused.code()).isEqualTo(RefusalCode.UNKNOWN_CONTENT))
                .hasMessageContaining(what);
    }
}
