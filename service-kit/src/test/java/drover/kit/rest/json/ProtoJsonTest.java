package drover.kit.rest.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import drover.agent.v1.Command;
import drover.agent.v1.CommandBody;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.UpgradePhase;
import drover.kit.grpc.Refused;
import drover.manifest.v1.ConfigChange;
import drover.manifest.v1.MigrationType;
import drover.model.RefusalCode;
import drover.rollout.v1.Batch;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.PauseReason;
import drover.rollout.v1.RollbackTier;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import drover.rollout.v1.RolloutStatus;
import drover.rollout.v1.Strategy;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ProtoJsonTest {
    @Test
    void printsNumbersAndListsAlwaysAndOmitsEmptyFields() {
        assertThat(ProtoJson.write(Batch.getDefaultInstance()))
                .isEqualTo(
                        "{\"index\":0,\"nodes\":0,\"succeeded\":0,\"failed\":0,\"canary\":false}");
        assertThat(ProtoJson.write(Heartbeat.getDefaultInstance()))
                .isEqualTo("{\"attempt\":0,\"programs\":[],\"findings\":[],\"draining\":false}");
    }

    @Test
    void printsStatusesInLowerAndCodesInUpperCase() {
        Rollout rollout =
                Rollout.newBuilder()
                        .setStatus(RolloutStatus.ROLLOUT_STATUS_AWAITING_APPROVAL)
                        .setRollbackTier(RollbackTier.ROLLBACK_TIER_TIER_1)
                        .setPauseReason(PauseReason.PAUSE_REASON_FAILURE_THRESHOLD)
                        .build();
        assertThat(ProtoJson.write(rollout))
                .contains("\"status\":\"awaiting_approval\"")
                .contains("\"rollback_tier\":\"tier_1\"")
                .contains("\"pause_reason\":\"FAILURE_THRESHOLD\"")
                .doesNotContain("\"failure_reason\"");
        RolloutNode node =
                RolloutNode.newBuilder()
                        .setUpgradePhase(UpgradePhase.UPGRADE_PHASE_PREPARING)
                        .build();
        assertThat(ProtoJson.write(node)).contains("\"upgrade_phase\":\"PREPARING\"");
    }

    @Test
    void printsTimesDurationsWideNumbersMapsAndBytes() {
        Rollout rollout =
                Rollout.newBuilder()
                        .setHealthWaitDuration(
                                Duration.newBuilder().setSeconds(1).setNanos(500_000_000))
                        .setCreatedAt(Timestamp.newBuilder().setSeconds(1_767_225_600))
                        .setRevision((1L << 53) + 1)
                        .setBatchSize(-1) // uint32: 4294967295
                        .build();
        assertThat(ProtoJson.write(rollout))
                .contains("\"health_wait_duration\":\"1.5s\"")
                .contains("\"created_at\":\"2026-01-01T00:00:00Z\"")
                .contains("\"revision\":\"9007199254740993\"")
                .contains("\"batch_size\":4294967295");
        assertThat(
                        ProtoJson.write(
                                ConfigChange.newBuilder()
                                        .putOverrides("b", "2")
                                        .putOverrides("a", "1")
                                        .build()))
                .isEqualTo("{\"overrides\":{\"a\":\"1\",\"b\":\"2\"}}");
        assertThat(
                        ProtoJson.write(
                                Command.newBuilder()
                                        .setBody(ByteString.copyFromUtf8("hi"))
                                        .build()))
                .contains("\"body\":\"aGk=\"");
    }

    @Test
    void readsWhatItPrints() throws Exception {
        Message original = aRequest();
        Message read =
                CreateRolloutRequest.parseFrom(
                        ProtoJson.read(
                                        ProtoJson.write(original).getBytes(StandardCharsets.UTF_8),
                                        CreateRolloutRequest.getDescriptor())
                                .toByteString());
        assertThat(read).isEqualTo(original);
    }

    private static CreateRolloutRequest aRequest() {
        return CreateRolloutRequest.newBuilder()
                .setChainProfileId("celestia")
                .setStrategy(Strategy.STRATEGY_ALL_AT_ONCE)
                .setBatchSize(7)
                .setMigrationType(MigrationType.MIGRATION_TYPE_BREAKING)
                .setAcknowledgeStateRisk(true)
                .setHealthWaitDuration(Duration.newBuilder().setSeconds(90))
                .addNodeIds("a-1")
                .addNodeIds("a-2")
                .putNodeSelector("zone", "north")
                .addConfigChanges(
                        ConfigChange.newBuilder()
                                .setPath("/etc/a.toml")
                                .setTemplate("a.tmpl")
                                .putOverrides("port", "1"))
                .build();
    }

    @ParameterizedTest
    @CsvSource({
        "30s,30,0",
        "1.5s,1,500000000",
        "500ms,0,500000000",
        "5m,300,0",
        "1h,3600,0",
        "0s,0,0"
    })
    void readsDurations(String text, long seconds, int nanos) {
        assertThat(readRequest("{\"health_wait_duration\":\"" + text + "\"}"))
                .isEqualTo(
                        CreateRolloutRequest.newBuilder()
                                .setHealthWaitDuration(
                                        Duration.newBuilder().setSeconds(seconds).setNanos(nanos))
                                .build()
                                .toByteString());
    }

    @Test
    void readsWideNumbersAsNumbersAndAsTexts() {
        var type = Rollout.getDescriptor();
        assertThat(ProtoJson.read(utf8("{\"revision\":\"9007199254740993\"}"), type).toByteString())
                .isEqualTo(Rollout.newBuilder().setRevision((1L << 53) + 1).build().toByteString());
        assertThat(ProtoJson.read(utf8("{\"revision\":12}"), type).toByteString())
                .isEqualTo(Rollout.newBuilder().setRevision(12).build().toByteString());
    }

    @Test
    void takesNullAndNothingAsNotSet() {
        assertThat(readRequest("{\"strategy\":null}")).isEqualTo(ByteString.EMPTY);
        assertThat(readRequest("")).isEqualTo(ByteString.EMPTY);
    }

    @Test
    void refusesUnknownFieldsNamingThePathAndTheNameMeant() {
        Refused refused = refusal("{\"config_changes\":[{\"tmplate\":\"x\"}]}");
        assertThat(refused.code()).isEqualTo(RefusalCode.UNKNOWN_FIELD);
        assertThat(refused.field()).isEqualTo("config_changes[0].tmplate");
        assertThat(refused.sentence())
                .isEqualTo(
                        "There is no field 'config_changes[0].tmplate'; did you mean 'template'?");
        assertThat(refusal("{\"chainProfileId\":\"x\"}").code())
                .as("only the contract's own spelling")
                .isEqualTo(RefusalCode.UNKNOWN_FIELD);
    }

    @Test
    void refusesUnknownValuesListingTheAllowedOnes() {
        Refused refused = refusal("{\"strategy\":\"ROLLING\"}");
        assertThat(refused.code()).isEqualTo(RefusalCode.UNKNOWN_VALUE);
        assertThat(refused.sentence())
                .isEqualTo(
                        "The field 'strategy' has the value 'ROLLING'; allowed are rolling, canary,"
                                + " all_at_once, progressive.");
        assertThat(refusal("{\"strategy\":\"unspecified\"}").code())
                .isEqualTo(RefusalCode.UNKNOWN_VALUE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{\"batch_size\":\"3\"};batch_size",
                "{\"batch_size\":3.5};batch_size",
                "{\"batch_size\":-1};batch_size",
                "{\"batch_size\":4294967296};batch_size",
                "{\"strategy\":1};strategy",
                "{\"chain_profile_id\":1};chain_profile_id",
                "{\"force_continue\":\"true\"};force_continue",
                "{\"node_ids\":\"a\"};node_ids",
                "{\"node_ids\":[\"a\",null]};node_ids[1]",
                "{\"node_selector\":[]};node_selector",
                "{\"node_selector\":{\"zone\":1}};node_selector[\"zone\"]",
                "{\"config_changes\":[3]};config_changes[0]",
                "{\"health_wait_duration\":\"5 minutes\"};health_wait_duration",
                "{\"health_wait_duration\":\"-5s\"};health_wait_duration",
                "{\"health_wait_duration\":30};health_wait_duration",
            })
    void refusesValuesOfAnotherTypeNamingThePath(String json, String path) {
        Refused refused = refusal(json);
        assertThat(refused.code()).isEqualTo(RefusalCode.INVALID_FIELD);
        assertThat(refused.field()).isEqualTo(path);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "3",
                "null",
                "{",
                "{\"a\":1} x",
                "{'a':1}",
                "{\"batch_size\":1,\"batch_size\":2}"
            })
    void refusesWhatIsNotOneJsonObjectWithEachKeyOnce(String json) {
        assertThat(refusal(json).code()).isEqualTo(RefusalCode.BODY_NOT_JSON);
    }

    /** T18: options and classes of the parser help no caller. */
    @ParameterizedTest
    @ValueSource(strings = {"{", "{\"a\":1} x", "{'a':1}", "{\"a\":nope}", "{\"a\" 1}"})
    void namesThePlaceOfBrokenJsonAndNothingOfItsParser(String json) {
        assertThat(refusal(json).sentence())
                .matches("The body is not JSON at line 1, column [0-9]+[.]");
    }

    @Test
    void refusesDeepNesting() {
        String deep = "{\"config_changes\":".concat("[".repeat(5_000));
        assertThat(refusal(deep).code()).isEqualTo(RefusalCode.BODY_NOT_JSON);
    }

    @Test
    void refusesTwoOfAChoice() {
        Refused refused =
                catchThrowableOfType(
                        Refused.class,
                        () ->
                                ProtoJson.read(
                                        utf8("{\"upgrade\":{},\"restore\":{}}"),
                                        CommandBody.getDescriptor()));
        assertThat(refused.code()).isEqualTo(RefusalCode.INVALID_FIELD);
        assertThat(refused.sentence()).contains("upgrade").contains("restore");
    }

    private static Refused refusal(String json) {
        Refused refused = catchThrowableOfType(Refused.class, () -> readRequest(json));
        assertThat(refused).as("refusal of %s", json).isNotNull();
        return refused;
    }

    private static ByteString readRequest(String json) {
        return ProtoJson.read(utf8(json), CreateRolloutRequest.getDescriptor()).toByteString();
    }

    private static byte[] utf8(String json) {
        return json.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void writesATimeOutOfRangeAsTheNearest() {
        assertThat(ProtoJson.write(sentAt(Long.MAX_VALUE, 0))).contains("9999-12-31T23:59:59Z");
        assertThat(ProtoJson.write(sentAt(Long.MIN_VALUE, 0))).contains("0001-01-01T00:00:00Z");
        assertThat(ProtoJson.write(sentAt(0, -1))).contains("1970-01-01T00:00:00Z");
    }

    private static Heartbeat sentAt(long seconds, int nanos) {
        return Heartbeat.newBuilder()
                .setSentAt(Timestamp.newBuilder().setSeconds(seconds).setNanos(nanos))
                .build();
    }
}
