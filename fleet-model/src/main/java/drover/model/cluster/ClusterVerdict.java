package drover.model.cluster;

import java.util.List;

/** Verdict on a whole cluster, from the reports of all members. */
public sealed interface ClusterVerdict {
    /** One sentence for operators. */
    String sentence();

    /**
     * One leader, and no vote is missing that the quorum could need.
     *
     * @param spare healthy voters in addition to the quorum
     * @param missing voters that do not count as healthy
     */
    record Steady(String leader, long term, int spare, List<String> missing)
            implements ClusterVerdict {
        public Steady {
            missing = List.copyOf(missing);
        }

        @Override
        public String sentence() {
            return "Member "
                    + leader
                    + " leads in term "
                    + term
                    + "; "
                    + switch (spare) {
                        case 0 -> "the quorum needs every voter";
                        case 1 -> "the quorum can lose 1 voter";
                        default -> "the quorum can lose " + spare + " voters";
                    }
                    + (missing.isEmpty()
                            ? "."
                            : "; not healthy: " + String.join(", ", missing) + ".");
        }
    }

    /**
     * The loss of one more voter could cost the quorum, or no member leads.
     *
     * @param missing voters that do not count as healthy; empty if only the leader is missing
     */
    record AtRisk(List<String> missing, String reason) implements ClusterVerdict {
        public AtRisk {
            missing = List.copyOf(missing);
        }

        @Override
        public String sentence() {
            return reason;
        }
    }

    /** Several members report that they lead (split brain). */
    record Split(List<String> leaders) implements ClusterVerdict {
        public Split {
            leaders = List.copyOf(leaders);
        }

        @Override
        public String sentence() {
            return "Several members report that they lead: " + String.join(", ", leaders) + ".";
        }
    }

    /**
     * Reports are missing, stale or contradictory. No data is not steady.
     *
     * @param members members or nodes whose data is unusable
     */
    record NoData(List<String> members, String reason) implements ClusterVerdict {
        public NoData {
            members = List.copyOf(members);
        }

        @Override
        public String sentence() {
            return reason;
        }
    }
}
