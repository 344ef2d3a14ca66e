package drover.coordinator.peers;

import com.google.protobuf.Timestamp;
import drover.coordinator.event.EventHistoryEntry;
import drover.coordinator.event.RolloutEvent;
import drover.event.v1.Event;
import drover.event.v1.EventData;
import drover.kit.rest.json.ProtoJson;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * Events as the contract says them. The contract's JSON is a CloudEvent of version 1.0 in
 * structured mode, so every receiver gets the same text.
 */
public final class EventProtos {
    /** Media type of {@link #toJson}. */
    public static final String MEDIA_TYPE = "application/cloudevents+json";

    private EventProtos() {}

    /** One event. */
    public static Event toEvent(RolloutEvent announcement) {
        EventHistoryEntry happened = announcement.entry();
        return Event.newBuilder()
                .setSpecversion("1.0")
                .setId(announcement.id())
                .setSource(source(happened))
                .setType(announcement.type())
                .setSubject(announcement.subject())
                .setTime(toTimestamp(happened.at()))
                .setDatacontenttype("application/json")
                .setSequence(announcement.sequence())
                .setData(toData(announcement, happened))
                .build();
    }

    /** An incident may concern a node outside any rollout. */
    private static String source(EventHistoryEntry happened) {
        String rollout = happened.rolloutFacts().rollout();
        return rollout.isEmpty() ? "/nodes/" + happened.node() : "/rollouts/" + rollout;
    }

    /** A moment. */
    public static Timestamp toTimestamp(Instant at) {
        return Timestamp.newBuilder()
                .setSeconds(at.getEpochSecond())
                .setNanos(at.getNano())
                .build();
    }

    private static EventData.Builder toData(RolloutEvent announcement, EventHistoryEntry happened) {
        EventHistoryEntry.RolloutDescription about = happened.rolloutFacts();
        return EventData.newBuilder()
                .setRolloutId(about.rollout())
                .setChainProfileId(about.chain())
                .setBinaryName(about.program())
                .setSourceVersion(about.sourceVersion())
                .setTargetVersion(about.targetVersion())
                .setStrategy(about.strategy())
                .setNodeId(happened.node())
                .setBatch(happened.batchNumber())
                .setFromStatus(happened.from())
                .setToStatus(happened.to())
                .setReason(happened.code())
                .setMessage(happened.sentence())
                .setActor(happened.actor())
                .setNotification(announcement.kind().notificationName())
                .setIncidentId(happened.incident().id())
                .setIncidentCategory(happened.incident().category())
                .setIncidentSeverity(happened.incident().severity());
    }

    /** The text of one event. */
    public static byte[] toJson(RolloutEvent announcement) {
        return ProtoJson.write(toEvent(announcement)).getBytes(StandardCharsets.UTF_8);
    }
}
