// There is no memory to map.
#pragma once
