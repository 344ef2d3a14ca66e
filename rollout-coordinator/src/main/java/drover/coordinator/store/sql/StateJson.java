package drover.coordinator.store.sql;

import com.fasterxml.jackson.annotation.JsonAlias;
import drover.coordinator.plan.group.GroupPauseReason;
import drover.coordinator.plan.group.GroupSpec;
import drover.coordinator.plan.group.GroupState;
import drover.coordinator.plan.model.AttemptProgress;
import drover.coordinator.plan.model.Handover;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeTarget;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.preflight.NodePreflightResult;
import drover.coordinator.plan.replay.RecordedDecisionInput;
import drover.coordinator.plan.request.OperatorRequest;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.InvalidTypeIdException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.module.SimpleModule;

/**
 * Writes states and specifications as JSON and reads them back. The words are the seed's; see
 * {@link #typeName}.
 */
public final class StateJson {
    private static final JsonMapper MAPPER = createMapper();

    private StateJson() {}

    public static String write(Object value) {
        return MAPPER.writeValueAsString(value);
    }

    public static RolloutState readRolloutState(String json) {
        return read(json, RolloutState.class);
    }

    public static NodeState readNodeState(String json) {
        return read(json, NodeState.class);
    }

    public static RolloutSpec readRolloutSpec(String json) {
        return read(json, RolloutSpec.class);
    }

    public static GroupState readGroupState(String json) {
        return read(json, GroupState.class);
    }

    public static GroupSpec readGroupSpec(String json) {
        return read(json, GroupSpec.class);
    }

    public static NodeTarget readNodeTarget(String json) {
        return read(json, NodeTarget.class);
    }

    public static AttemptProgress readProgress(String json) {
        return read(json, AttemptProgress.class);
    }

    public static Handover readHandover(String json) {
        return read(json, Handover.class);
    }

    public static List<NodePreflightResult> readPreflight(String json) {
        return List.of(read(json, NodePreflightResult[].class));
    }

    public static RecordedDecisionInput readDecision(String json) {
        return read(json, RecordedDecisionInput.class);
    }

    /**
     * A case or a word that this version does not have is a later version's; all else that cannot
     * be read is a bug of whoever wrote it, and stays one.
     */
    private static <T> T read(String json, Class<T> type) {
        try {
            return MAPPER.readValue(json, type);
        } catch (InvalidTypeIdException e) {
            throw e.getTypeId() == null ? e : new UnreadableRow(e);
        } catch (InvalidFormatException e) {
            throw e.getTargetType().isEnum() ? new UnreadableRow(e) : e;
        }
    }

    /** {@code AwaitingApproval} is written {@code awaiting_approval}. */
    public static String typeName(Class<?> type) {
        return type.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
    }

    private static JsonMapper createMapper() {
        SimpleModule ids = new SimpleModule("ids");
        registerText(ids, NodeId.class, NodeId::value, NodeId::new);
        registerText(ids, Digest.class, Digest::value, Digest::new);
        registerText(ids, Version.class, Version::value, Version::new);
        registerText(ids, BinaryName.class, BinaryName::value, BinaryName::new);
        registerText(ids, ChainProfileId.class, ChainProfileId::value, ChainProfileId::new);
        registerText(ids, RolloutId.class, RolloutId::value, RolloutId::new);
        registerKey(ids, NodeId.class, NodeId::value, NodeId::new);
        registerKey(ids, BinaryName.class, BinaryName::value, BinaryName::new);
        JsonMapper.Builder builder = JsonMapper.builder().addModule(ids);
        for (Class<?> sealed :
                new Class<?>[] {
                    RolloutState.class,
                    NodeState.class,
                    Strategy.class,
                    Threshold.class,
                    HealthVerdict.class,
                    NodeView.class,
                    OperatorRequest.class,
                    GroupState.class,
                    Handover.class
                }) {
            builder.addMixIn(sealed, StatusAsTypeIdMixin.class);
            registerSubtypes(builder, sealed);
        }
        builder.addMixIn(PauseReason.class, PauseReasonAliases.class);
        builder.addMixIn(GroupPauseReason.class, GroupPauseReasonAliases.class);
        // Rows of earlier versions lack newer numbers: they are 0.
        return builder.disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES).build();
    }

    private static void registerSubtypes(JsonMapper.Builder builder, Class<?> sealed) {
        Class<?>[] permitted = sealed.getPermittedSubclasses();
        if (permitted == null) {
            return;
        }
        for (Class<?> type : permitted) {
            if (type.isRecord()) {
                builder.registerSubtypes(new NamedType(type, typeName(type)));
            }
            registerSubtypes(builder, type);
        }
    }

    private static <T> void registerText(
            SimpleModule module,
            Class<T> type,
            Function<T, String> write,
            Function<String, T> read) {
        module.addSerializer(
                type,
                new ValueSerializer<T>() {
                    @Override
                    public void serialize(
                            T value, JsonGenerator json, SerializationContext context) {
                        json.writeString(write.apply(value));
                    }
                });
        module.addDeserializer(
                type,
                new ValueDeserializer<T>() {
                    @Override
                    public T deserialize(JsonParser json, DeserializationContext context) {
                        return read.apply(json.getString());
                    }
                });
    }

    private static <T> void registerKey(
            SimpleModule module,
            Class<T> type,
            Function<T, String> write,
            Function<String, T> read) {
        module.addKeySerializer(
                type,
                new ValueSerializer<T>() {
                    @Override
                    public void serialize(
                            T value, JsonGenerator json, SerializationContext context) {
                        json.writeName(write.apply(value));
                    }
                });
        module.addKeyDeserializer(
                type,
                new KeyDeserializer() {
                    @Override
                    public Object deserializeKey(String key, DeserializationContext context) {
                        return read.apply(key);
                    }
                });
    }

    /** Sealed families carry their case in the property {@code status}. */
    @com.fasterxml.jackson.annotation.JsonTypeInfo(
            use = com.fasterxml.jackson.annotation.JsonTypeInfo.Id.NAME,
            property = "status")
    private interface StatusAsTypeIdMixin {}

    /** Names in rows of earlier versions (decision 0118). */
    private enum PauseReasonAliases {
        @JsonAlias("BLIND")
        NO_FLEET_VISIBILITY,
        @JsonAlias("CANARY_UNWELL")
        CANARY_UNHEALTHY
    }

    /** As {@link PauseReasonAliases}, for groups. */
    private enum GroupPauseReasonAliases {
        @JsonAlias("STEERING_REFUSED")
        COMPONENT_REQUEST_REFUSED
    }
}
