package drover.standalone.cluster;

import drover.model.cluster.ClusterAssessment;
import drover.model.cluster.ClusterReport;
import drover.model.cluster.ClusterVerdict;
import drover.model.cluster.MemberObservation;
import drover.model.cluster.MemberObservation.Reported;
import drover.model.cluster.MemberObservation.Unreported;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;

/** Result of a cluster check as one JSON object. */
public final class ClusterCheckJson {
    /** Terminals show the output, so no character of an endpoint or a reason may control them. */
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private ClusterCheckJson() {}

    /** The text of the object. */
    public static String write(ClusterCheck check) {
        ClusterAssessment assessment = check.assessment();
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("verdict", ClusterWords.of(assessment.verdict()));
        result.put("reason", assessment.verdict().sentence());
        result.putAll(details(assessment.verdict()));
        result.put("upgrade_order", assessment.upgradeOrder());
        Map<String, Object> stops = new LinkedHashMap<>();
        assessment
                .stops()
                .forEach(
                        (member, stop) ->
                                stops.put(
                                        member,
                                        Map.of(
                                                "stop", ClusterWords.of(stop),
                                                "reason", stop.sentence())));
        result.put("stop_now", stops);
        result.put("probes", check.observations().stream().map(ClusterCheckJson::probe).toList());
        return JSON.writeValueAsString(result);
    }

    private static Map<String, Object> details(ClusterVerdict verdict) {
        return switch (verdict) {
            case ClusterVerdict.Steady(
                            String leader,
                            long term,
                            int spare,
                            List<String> missing) -> {
                Map<String, Object> steady = new LinkedHashMap<>();
                steady.put("leader", leader);
                steady.put("term", term);
                steady.put("spare", spare);
                steady.put("missing", missing);
                yield steady;
            }
            case ClusterVerdict.AtRisk(List<String> missing, _) -> Map.of("missing", missing);
            case ClusterVerdict.Split(List<String> leaders) -> Map.of("leaders", leaders);
            case ClusterVerdict.NoData(List<String> members, _) -> Map.of("members", members);
        };
    }

    private static Map<String, Object> probe(MemberObservation observation) {
        Map<String, Object> probe = new LinkedHashMap<>();
        probe.put("endpoint", observation.node());
        switch (observation) {
            case Reported reported -> probe.put("report", report(reported.report()));
            case Unreported failed -> probe.put("problem", failed.reason());
        }
        return probe;
    }

    /** With the field names of the contract. */
    private static Map<String, Object> report(ClusterReport report) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("cluster", report.cluster());
        fields.put("member", report.member());
        fields.put("role", report.role().name().toLowerCase(Locale.ROOT));
        fields.put("voter", report.voter());
        fields.put("term", report.term());
        fields.put("voters", report.voters());
        fields.put("healthy_voters", report.healthyVoters());
        Map<String, Object> lag = new LinkedHashMap<>();
        lag.put("value", report.lag().value());
        lag.put("unit", report.lag().unit());
        lag.put("ok", report.lag().ok());
        fields.put("lag", lag);
        fields.put("cluster_version", report.clusterVersion());
        fields.put("safe_to_stop", report.safeToStop().name().toLowerCase(Locale.ROOT));
        fields.put("reason", report.reason());
        return fields;
    }
}
