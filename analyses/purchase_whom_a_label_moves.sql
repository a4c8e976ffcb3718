-- Whom does a badge move that says nothing, and whom a bond that is worth money?
-- One row per study and model, audited: what the popularity badge adds to the share
-- that takes the certificate (right is 0), what the bond adds beside what it should,
-- whether the intervals leave out no effect at all, and the statuses.
with audited as (
    select * from {{ ref('purchase_metric') }}
    where reading = 'audited'
)

select
    model.display_name,
    board.study_id,
    badge.value as badge_effect,
    badge.ci_lo > 0 or badge.ci_hi < 0 as badge_moves_it,
    badge.status as badge_status,
    bond.value as bond_shift,
    board.bond_rational as right_bond_shift,
    share.value as share_of_right,
    share.ci_lo > 0 as bond_moves_it,
    share.ci_lo <= 1 and share.ci_hi >= 1 as may_be_as_it_should,
    share.status as bond_status
from {{ ref('purchase_board') }} as board
inner join {{ ref('model') }} as model on board.model_id = model.model_id
inner join audited as badge
    on board.study_id = badge.study_id
    and board.model_id = badge.model_id
    and badge.metric = 'badge_effect'
inner join audited as bond
    on board.study_id = bond.study_id
    and board.model_id = bond.model_id
    and bond.metric = 'bond_shift'
inner join audited as share
    on board.study_id = share.study_id
    and board.model_id = share.model_id
    and share.metric = 'bond_responsiveness'
where board.reading = 'audited'
order by board.study_id, abs(badge.value) desc nulls last, model.display_name
