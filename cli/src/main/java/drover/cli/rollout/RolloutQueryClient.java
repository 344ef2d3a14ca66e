package drover.cli.rollout;

import drover.cli.client.DroverClient;
import drover.cli.client.IdPrefixResolver;
import drover.cli.terminal.CommandFailed;
import drover.rollout.v1.GetRolloutRequest;
import drover.rollout.v1.ListRolloutNodesRequest;
import drover.rollout.v1.ListRolloutNodesResponse;
import drover.rollout.v1.ListRolloutsRequest;
import drover.rollout.v1.ListRolloutsResponse;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import java.util.ArrayList;
import java.util.List;

/** Reads rollouts, page by page where there are many. */
public record RolloutQueryClient(DroverClient server) {
    private static final int PAGE = 500;
    private static final int MOST_PAGES = 40; // 20,000 nodes: twice what a rollout may have

    /**
     * The whole id that begins with what was given.
     *
     * @throws CommandFailed when several begin so
     */
    public String resolveId(String given) {
        return IdPrefixResolver.resolve(
                given, "rollouts", () -> listRollouts("", 0).stream().map(Rollout::getId).toList());
    }

    Rollout fetchRollout(String id) {
        return server.rollouts()
                .getRollout(GetRolloutRequest.newBuilder().setRolloutId(id).build())
                .getRollout();
    }

    /** Rollouts newest first; an empty chain and status 0 stand for all. */
    List<Rollout> listRollouts(String chain, int status) {
        List<Rollout> rollouts = new ArrayList<>();
        String token = "";
        for (int page = 0; page < MOST_PAGES; page++) {
            ListRolloutsResponse answer =
                    server.rollouts()
                            .listRollouts(
                                    ListRolloutsRequest.newBuilder()
                                            .setChainProfileId(chain)
                                            .setStatusValue(status)
                                            .setPageSize(PAGE)
                                            .setPageToken(token)
                                            .build());
            rollouts.addAll(answer.getRolloutsList());
            token = answer.getNextPageToken();
            if (token.isEmpty()) {
                break;
            }
        }
        return rollouts;
    }

    /** Every node of a rollout, ordered by batch and id. */
    List<RolloutNode> listNodes(String id) {
        List<RolloutNode> nodes = new ArrayList<>();
        String token = "";
        for (int page = 0; page < MOST_PAGES; page++) {
            ListRolloutNodesResponse answer =
                    server.rollouts()
                            .listRolloutNodes(
                                    ListRolloutNodesRequest.newBuilder()
                                            .setRolloutId(id)
                                            .setPageSize(PAGE)
                                            .setPageToken(token)
                                            .build());
            nodes.addAll(answer.getNodesList());
            token = answer.getNextPageToken();
            if (token.isEmpty()) {
                break;
            }
        }
        return nodes;
    }
}
