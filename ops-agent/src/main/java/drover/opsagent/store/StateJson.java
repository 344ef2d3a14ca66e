package drover.opsagent.store;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import drover.model.Action;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.Probe;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.Work;
import drover.trust.release.ReleaseWatermark;
import java.util.function.Function;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.ToStringSerializer;

/** Writes the agent's records as JSON, and reads them back. Unknown fields are left aside (C15). */
public final class StateJson {
    // Immutable, and costly to make: one for all agents of a process.
    private static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .addModule(createNamesModule())
                    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .addMixIn(Work.class, TypeTagMixin.class)
                    .addMixIn(PreUpgradeState.class, TypeTagMixin.class)
                    .addMixIn(Probe.Check.class, TypeTagMixin.class)
                    .addMixIn(Probe.StatusWhileFailing.class, TypeTagMixin.class)
                    .addMixIn(ReleaseWatermark.class, ReleaseWatermarkAliases.class)
                    .registerSubtypes(
                            new NamedType(Work.Upgrade.class, "upgrade"),
                            new NamedType(Work.Restore.class, "restore"),
                            new NamedType(Work.AgentUpgrade.class, "agent_upgrade"),
                            new NamedType(Work.ClearFailure.class, "clear"),
                            new NamedType(Work.UnreadWork.class, "nothing"),
                            new NamedType(PreUpgradeState.NotNeeded.class, "not_taken"),
                            new NamedType(PreUpgradeState.Recorded.class, "taken"),
                            new NamedType(Probe.Check.ProcessAlive.class, "process"),
                            new NamedType(Probe.Check.Tcp.class, "tcp"),
                            new NamedType(Probe.Check.Http.class, "http"),
                            new NamedType(Probe.Check.Exec.class, "exec"),
                            new NamedType(
                                    Probe.StatusWhileFailing.HealthWhileFailing.class, "health"),
                            new NamedType(
                                    Probe.StatusWhileFailing.SyncStatusWhileFailing.class, "sync"))
                    .build();

    /** The record as bytes. */
    public byte[] write(Object value) {
        return MAPPER.writeValueAsBytes(value);
    }

    /**
     * The record these bytes are.
     *
     * @throws UnreadableState when they are none
     */
    public <T> T read(byte[] bytes, Class<T> type, String name) {
        try {
            return MAPPER.readValue(bytes, type);
        } catch (JacksonException e) {
            throw new UnreadableState(name, e);
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    private interface TypeTagMixin {}

    /** Names in trust records of earlier agents (decision 0118): without them the numbers are 0. */
    @SuppressWarnings("UnusedMethod") // Jackson reads the annotations
    private interface ReleaseWatermarkAliases {
        @JsonAlias("counter")
        long releaseNumber();

        @JsonAlias("floor")
        long minimumReleaseNumber();
    }

    private static JacksonModule createNamesModule() {
        SimpleModule module = new SimpleModule("names");
        addNameType(module, Digest.class, Digest::new);
        addNameType(module, NodePath.class, NodePath::new);
        addNameType(module, BinaryName.class, BinaryName::new);
        module.addDeserializer(
                Action.class, new NameDeserializer<>(Action.class, Action::fromStored));
        return module;
    }

    private static <T> void addNameType(
            SimpleModule module, Class<T> type, Function<String, T> parse) {
        module.addSerializer(type, new ToStringSerializer(type));
        module.addDeserializer(type, new NameDeserializer<>(type, parse));
    }

    private static final class NameDeserializer<T> extends StdDeserializer<T> {
        private final Function<String, T> parse;

        NameDeserializer(Class<T> type, Function<String, T> parse) {
            super(type);
            this.parse = parse;
        }

        @Override
        public T deserialize(JsonParser parser, DeserializationContext context) {
            return parse.apply(parser.getString());
        }
    }

    /** A record on disk that cannot be read: nothing is done on its strength. */
    public static final class UnreadableState extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UnreadableState(String name, Throwable cause) {
            super(
                    name
                            + " cannot be read: restore it from a copy, or adopt the node anew with"
                            + " an empty state directory.",
                    cause);
        }
    }
}
