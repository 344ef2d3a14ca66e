package drover.opsagent.cluster.etcd;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Status of a member ({@code /v3/maintenance/status}). Ids are unsigned decimal numbers, {@code 0}
 * if there is none.
 *
 * @param raftIndex last committed entry
 * @param appliedIndex last entry that the member applied
 * @param dbSize bytes of the member's database file
 * @param errors problems of the member, and alarms of the whole cluster
 */
record EtcdStatus(
        String clusterId,
        String memberId,
        String leaderId,
        long term,
        long raftIndex,
        long appliedIndex,
        long dbSize,
        List<String> errors) {
    /** etcd's notation of an alarm in {@code errors}; the id of the member is decimal. */
    private static final Pattern ALARM = Pattern.compile("memberID: *([0-9]{1,20})\\b.*");

    EtcdStatus {
        errors = List.copyOf(errors);
    }

    static EtcdStatus of(JsonNode response) {
        JsonNode header = response.path("header");
        List<String> errors = new ArrayList<>();
        response.path("errors").forEach(error -> errors.add(error.asString("")));
        return new EtcdStatus(
                id(header, "cluster_id"),
                id(header, "member_id"),
                id(response, "leader"),
                number(response, "raftTerm"),
                number(response, "raftIndex"),
                number(response, "raftAppliedIndex"),
                number(response, "dbSize"),
                errors);
    }

    boolean hasLeader() {
        return !leaderId.equals("0");
    }

    boolean isLeader() {
        return hasLeader() && leaderId.equals(memberId);
    }

    /**
     * Errors of one member, as this one reports them. A text that names no member is about this
     * one.
     */
    List<String> errorsOf(String id) {
        return errors.stream()
                .filter(
                        error -> {
                            Matcher alarm = ALARM.matcher(error);
                            return (alarm.matches() ? alarm.group(1) : memberId).equals(id);
                        })
                .toList();
    }

    /** The gateway writes 64-bit numbers as texts and leaves out zeros. */
    static String id(JsonNode object, String field) {
        String id = object.path(field).asString("0");
        if (!id.matches("[0-9]{1,20}")) {
            throw new EtcdRequestFailed("etcd's response has no valid " + field + ".", null);
        }
        return id;
    }

    static long number(JsonNode object, String field) {
        try {
            return Long.parseLong(id(object, field));
        } catch (NumberFormatException e) {
            throw new EtcdRequestFailed("etcd's response has no valid " + field + ".", e);
        }
    }
}
