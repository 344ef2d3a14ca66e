package drover.cli.group;

import drover.cli.client.DroverClient;
import drover.cli.client.IdPrefixResolver;
import drover.cli.terminal.CommandFailed;
import drover.rollout.v1.GetRolloutGroupStatusRequest;
import drover.rollout.v1.ListRolloutGroupsRequest;
import drover.rollout.v1.ListRolloutGroupsResponse;
import drover.rollout.v1.RolloutGroup;
import java.util.ArrayList;
import java.util.List;

/** Reads groups, page by page where there are many. */
record GroupQueryClient(DroverClient server) {
    private static final int PAGE = 500;
    private static final int MOST_PAGES = 40; // as for rollouts

    /**
     * The whole id that begins with what was given.
     *
     * @throws CommandFailed when several begin so
     */
    String resolveId(String given) {
        return IdPrefixResolver.resolve(
                given,
                "groups",
                () -> listGroups("", 0).stream().map(RolloutGroup::getId).toList());
    }

    RolloutGroup fetchGroup(String id) {
        return server.groups()
                .getRolloutGroupStatus(
                        GetRolloutGroupStatusRequest.newBuilder().setGroupId(id).build())
                .getGroup();
    }

    /** Groups newest first; an empty chain and status 0 stand for all. */
    List<RolloutGroup> listGroups(String chain, int status) {
        List<RolloutGroup> groups = new ArrayList<>();
        String token = "";
        for (int page = 0; page < MOST_PAGES; page++) {
            ListRolloutGroupsResponse answer =
                    server.groups()
                            .listRolloutGroups(
                                    ListRolloutGroupsRequest.newBuilder()
                                            .setChainProfileId(chain)
                                            .setStatusValue(status)
                                            .setPageSize(PAGE)
                                            .setPageToken(token)
                                            .build());
            groups.addAll(answer.getGroupsList());
            token = answer.getNextPageToken();
            if (token.isEmpty()) {
                break;
            }
        }
        return groups;
    }
}
