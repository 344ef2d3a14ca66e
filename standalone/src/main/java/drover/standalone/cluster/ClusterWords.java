package drover.standalone.cluster;

import drover.model.cluster.ClusterVerdict;
import drover.model.cluster.StopDecision;

/** Words for decisions about clusters, equal in text and JSON. */
final class ClusterWords {
    private ClusterWords() {}

    static String of(ClusterVerdict verdict) {
        return switch (verdict) {
            case ClusterVerdict.Steady _ -> "steady";
            case ClusterVerdict.AtRisk _ -> "at_risk";
            case ClusterVerdict.Split _ -> "split";
            case ClusterVerdict.NoData _ -> "no_data";
        };
    }

    static String of(StopDecision stop) {
        return switch (stop) {
            case StopDecision.Allowed _ -> "yes";
            case StopDecision.NotNow _ -> "not_now";
            case StopDecision.NeedsConfirmation _ -> "confirm";
        };
    }
}
